/** Both halves of a sign-in at a provider, without the server's rules around them. */
import { loadConfig } from '../../src/server/config/load.js';
import type { Config } from '../../src/server/config/settings.js';
import type {
  CallbackAnswer,
  ExternalProvider,
  IdTokenRequest,
  ProviderState,
  Providers,
} from '../../src/server/providers/contract.js';
import { openProviders } from '../../src/server/providers/index.js';
import { keepLog } from './quiet-log.js';

export const STATE = 'state-of-the-test';
export const NONCE = 'nonce-of-the-test';
/** 43 characters, the fewest there may be (RFC 7636 4.1). */
export const CODE_VERIFIER = 'verifier-of-the-test-abcdefghijklmnopqrstuv';

export function providerConfig(environment: Readonly<Record<string, string>>): Config {
  const required = {
    AUTH_JWT_SECRET: 'a secret for tests of at least 32 bytes',
    AUTH_DB_DRIVER: 'postgres',
    DATABASE_URL: 'postgres://127.0.0.1/latchkey',
    AUTH_API_EXTERNAL_URL: 'http://localhost:9999',
    AUTH_SITE_URL: 'http://localhost:3000',
  };
  return loadConfig({ environment: { ...required, ...environment }, file: null }).config;
}

/** Settings that switch a provider on. */
export function providerSettings(name: string, url: string, more: Readonly<Record<string, string>> = {}) {
  const prefix = `AUTH_EXTERNAL_${name.toUpperCase()}`;
  const values = { ENABLED: 'true', CLIENT_ID: 'cid', SECRET: 'the-secret', REDIRECT_URI: 'http://localhost/callback' };
  const all = { ...values, ...(url !== '' && { URL: url }), ...more };
  return Object.fromEntries(Object.entries(all).map(([field, value]) => [`${prefix}_${field}`, value]));
}

export async function loadProviders(environment: Readonly<Record<string, string>>): Promise<Providers> {
  return openProviders({ config: providerConfig(environment), log: keepLog() });
}

/** Redeems an ID token with the id_token grant. */
export const redeemIdToken = (providers: Providers, more: Partial<IdTokenRequest>) =>
  providers.verifyIdToken({ idToken: '', accessToken: '', nonce: '', provider: '', clientId: '', issuer: '', ...more });

/** @throws Error with the reason, when the provider cannot be used */
export async function findProvider(providers: Providers, name: string): Promise<ExternalProvider> {
  const found = await providers.find(name);
  if ('unusable' in found) throw new Error(found.unusable);
  return found;
}

export async function beginSignIn(provider: ExternalProvider, parameters: Readonly<Record<string, string>> = {}) {
  const { url, providerState } = await provider.authorizationUrl({
    state: STATE,
    codeVerifier: CODE_VERIFIER,
    nonce: NONCE,
    scopes: parameters['scopes'] ?? '',
    parameters: new Map(Object.entries(parameters)),
  });
  return { url: new URL(url), providerState };
}

export function endSignIn(
  provider: ExternalProvider,
  parameters: Readonly<Record<string, string>> = { code: 'code-1234' },
  providerState: ProviderState | null = null,
) {
  const answer: CallbackAnswer = {
    parameters: new Map(Object.entries(parameters)),
    codeVerifier: CODE_VERIFIER,
    nonce: NONCE,
    providerState,
  };
  return provider.readAnswer(answer);
}
