import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { lastingRsaKey, takeRsaKey } from './rsa-keys.js';

/** As SAML_PRIVATE_KEY; never one of the few that take turns: it is used as long as the process runs. */
export const samlPrivateKey = (): string => exported(lastingRsaKey());

const USUAL_LENGTH = 2048;
const USUAL_EXPONENT = 65_537;

export function newSamlKey(modulusLength = USUAL_LENGTH, publicExponent = USUAL_EXPONENT): string {
  const isUsual = modulusLength === USUAL_LENGTH && publicExponent === USUAL_EXPONENT;
  const key = isUsual ? takeRsaKey() : generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;
  return exported(key);
}

const exported = (key: KeyObject): string => key.export({ type: 'pkcs1', format: 'der' }).toString('base64');
