/** Who we are to identity providers. */
import { memoize } from '../../caching/memoize.js';
import { readSamlKey } from '../keys/saml-key.js';
import type { App } from '../runtime/app.js';
import { makeSamlCertificate } from './certificate.js';

type Config = App['config'];

export interface ServiceProvider {
  readonly entityId: string;
  /** Takes responses (Assertion Consumer Service). */
  readonly acsUrl: string;
  /** Takes messages of single log-out. */
  readonly sloUrl: string;
  /** Signs our messages. PEM. */
  readonly keyPem: string;
  /** Base64 of DER, the one in use first. */
  readonly certificates: readonly string[];
  /** PEM; empty where encrypted assertions are not accepted. */
  readonly decryptionKeys: readonly string[];
}

/** Made once per configuration, by the first request that needs it. Call it with SAML on. */
export const serviceProviderOf = memoize((config: Config): ServiceProvider => {
  const base = config.samlExternalUrl || config.apiExternalUrl;
  const entityId = `${base}/sso/saml/metadata`;
  const texts = [config.samlPrivateKey, config.samlPrivateKeyNext].filter((text) => text !== '');
  const keys = texts.map(readSamlKey);
  const pems = keys.map((key) => key.export({ type: 'pkcs1', format: 'pem' }) as string);
  const { hostname } = new URL(entityId);
  const decrypts = config.samlAllowEncryptedAssertions;
  return {
    entityId,
    acsUrl: `${base}/sso/saml/acs`,
    sloUrl: `${base}/sso/saml/slo`,
    keyPem: pems[0]!,
    certificates: keys.map((key) => makeSamlCertificate(key, hostname, decrypts).toString('base64')),
    decryptionKeys: decrypts ? pems : [],
  };
});
