import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { takeRsaKey } from './rsa-keys.js';

let made: string | undefined;

/** As SAML_PRIVATE_KEY; made once a process, and never one of the few that take turns: it is used as long as the process runs. */
export function samlPrivateKey(): string {
  made ??= exported(generateKeyPairSync('rsa', { modulusLength: USUAL_LENGTH }).privateKey);
  return made;
}

const USUAL_LENGTH = 2048;
const USUAL_EXPONENT = 65_537;

export function newSamlKey(modulusLength = USUAL_LENGTH, publicExponent = USUAL_EXPONENT): string {
  const isUsual = modulusLength === USUAL_LENGTH && publicExponent === USUAL_EXPONENT;
  const key = isUsual ? takeRsaKey() : generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;
  return exported(key);
}

const exported = (key: KeyObject): string => key.export({ type: 'pkcs1', format: 'der' }).toString('base64');
