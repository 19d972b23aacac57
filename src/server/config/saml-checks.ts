/** Checks of the settings of SAML. They count only while it is on. */
import type { KeyObject } from 'node:crypto';
import { readSamlKey } from '../keys/saml-key.js';
import type { Fault } from './faults.js';
import type { Config } from './settings.js';

const EXAMPLE =
  'the output of: openssl genrsa -traditional 2048 | openssl rsa -traditional -outform DER | openssl base64 -A';

/** @param nameOf the environment name of a key */
export function findSamlFaults(
  config: Config,
  nameOf: (key: string) => string,
): { readonly keys: string[]; readonly fault: Fault }[] {
  if (!config.samlEnabled) return [];
  return (['samlPrivateKey', 'samlPrivateKeyNext'] as const).flatMap((key) => {
    const text = config[key];
    if (text === '' && key === 'samlPrivateKeyNext') return [];
    const problem = text === '' ? `is missing, and ${nameOf('samlEnabled')} is on` : findKeyFault(text);
    return problem === null
      ? []
      : [{ keys: ['samlEnabled', key], fault: { variable: nameOf(key), problem, example: EXAMPLE } }];
  });
}

function findKeyFault(text: string): string | null {
  let key: KeyObject;
  try {
    key = readSamlKey(text);
  } catch {
    return 'must be base64 of an RSA private key in PKCS #1 DER';
  }
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < 2048) return 'must be an RSA key with 2048 bits or more';
  return publicExponent === 65_537n ? null : 'must be an RSA key with exponent 65537';
}
