import { generateKeyPairSync } from 'node:crypto';

let made: string | undefined;

/** As SAML_PRIVATE_KEY; made once a process. */
export function samlPrivateKey(): string {
  made ??= newSamlKey();
  return made;
}

export function newSamlKey(modulusLength = 2048, publicExponent = 65_537): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
  return privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64');
}
