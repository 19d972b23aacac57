/** What the admin API needs of the network and of the protocols. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings.js';
import { apiError } from '../../errors.js';
import { isCallable } from '../../outbound/loopback.js';
import { OutboundError } from '../../outbound/outbound.js';
import { assertPublicName, PrivateAddressError, type TestInternet } from '../../outbound/public-address.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import { MissingSubject, ProviderUnavailable } from '../claims.js';
import { fetchForStoring } from '../discovery.js';
import type { StoredProviderTools } from './contract.js';
import { readMappedClaims } from './mapped-claims.js';
import { privateHostsOf, settingsOf, specOf } from './spec.js';

export interface ToolsOptions {
  readonly config: Config;
  readonly sealer: TextSealer;
  readonly budgetSeconds: number;
  readonly internet?: TestInternet | undefined;
}

const MAX_URL_LENGTH = 2048;

export function openTools({ config, sealer, budgetSeconds, internet }: ToolsOptions): StoredProviderTools {
  const { outboundPrivateHosts: privateHosts } = config;
  return {
    seal(secret) {
      const id = randomUUID();
      return { id, sealed: sealer.seal(id, secret) };
    },
    reseal: (id, secret) => sealer.seal(id, secret),
    async assertAddress(name, text) {
      const fault = (what: string) => apiError('invalidParameter', { reason: `${name} ${what}` });
      const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
      if (url === null || !isCallable(url, privateHosts)) {
        throw fault('must be a URL that begins with https://');
      }
      if (url.username !== '' || url.password !== '' || url.hash !== '') {
        throw fault('must not contain a user name, a password or a fragment');
      }
      if (privateHosts.includes(url.hostname)) return;
      await assertPublicName(url.hostname, internet).catch((error: unknown) => {
        throw fault(
          error instanceof PrivateAddressError
            ? 'must not point to a private or local address'
            : 'names a host that cannot be resolved',
        );
      });
    },
    async discover(issuer, discoveryUrl) {
      const source = { url: discoveryUrl || undefined, privateHosts, testInternet: internet };
      const fault = (reason: string, cause?: unknown) =>
        apiError('invalidParameter', { reason: `The discovery document cannot be used: ${reason}` }, { cause });
      const { json, document } = await fetchForStoring(issuer, budgetSeconds, source).catch((error: unknown) => {
        const isKnown = error instanceof ProviderUnavailable || error instanceof OutboundError;
        if (isKnown) throw fault(lowerFirst(error.message), error);
        throw error;
      });
      if (document.authorizationEndpoint === null) throw fault('it has no authorization_endpoint');
      if (document.tokenEndpoint === null) throw fault('it has no token_endpoint');
      return Object.fromEntries(KEPT.filter((name) => Object.hasOwn(json, name)).map((name) => [name, json[name]]));
    },
    async test(row) {
      const secret = sealer.open(row.id, row.sealed_secret);
      if (secret === null) return [{ kind: 'wrong', text: 'The client_secret cannot be unsealed: set it again.' }];
      const settings = settingsOf(row, secret, config);
      const { redirectUri } = settings;
      const address = row.provider_type === 'oidc' ? 'issuer' : 'authorization_url and token_url';
      const names = { clientId: 'client_id', secret: 'client_secret', redirectUri, address };
      const { probeProvider } = await import('../probe.js');
      const source = { url: row.settings.discovery_url || undefined, privateHosts: privateHostsOf(row, config) };
      const findings = await probeProvider(specOf(row), settings, names, source);
      const hint = `Register this at the provider, letter by letter: ${redirectUri}`;
      return [...findings, { kind: 'hint', text: hint }];
    },
    preview(row, claims) {
      const issuer = row.provider_type === 'oidc' ? row.settings.issuer : row.settings.userinfo_url;
      try {
        return readMappedClaims(row.settings, claims, issuer);
      } catch (cause) {
        if (!(cause instanceof MissingSubject)) throw cause;
        throw apiError('invalidParameter', { reason: 'The claims have no usable sub' }, { cause });
      }
    },
  };
}

/** Members of a discovery document that are stored. */
const KEPT = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'revocation_endpoint',
  'scopes_supported',
  'response_types_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
];

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
