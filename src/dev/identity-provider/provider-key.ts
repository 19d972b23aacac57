/** The keys of `latchkey dev` for SAML: RSA, which takes up to a second to make, and not in this thread. */
import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { readSamlKey } from '../../server/keys/saml-key.js';
import { makeSamlCertificate } from '../../server/saml/certificate.js';
import { keepSlowText } from '../kept-secret.js';
import { COMPANY_DOMAIN } from './people.js';

/** As AUTH_SAML_PRIVATE_KEY: the server signs its requests with it. */
export const keepSamlKey = (directory: string): Promise<string> =>
  keepSlowText(directory, 'saml-key', async () => asText(await makeKey()));

export interface ProviderKey {
  readonly pem: string;
  /** Base64 of DER. */
  readonly certificate: string;
}

/** The key of the identity provider, kept in the same form. */
export const keepProviderKey = async (directory: string): Promise<ProviderKey> =>
  describe(readSamlKey(await keepSlowText(directory, 'identity-provider-key', async () => asText(await makeKey()))));

/** One that the server does not know. */
export const makeUnknownKey = async (): Promise<ProviderKey> => describe(await makeKey());

const makeKey = async (): Promise<KeyObject> =>
  (await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })).privateKey;

const asText = (key: KeyObject): string => key.export({ type: 'pkcs1', format: 'der' }).toString('base64');

const describe = (key: KeyObject): ProviderKey => ({
  pem: key.export({ type: 'pkcs1', format: 'pem' }) as string,
  certificate: makeSamlCertificate(key, COMPANY_DOMAIN, false).toString('base64'),
});
