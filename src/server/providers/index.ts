/** Identity providers. Only those that are enabled are loaded. */
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import type { TestInternet } from '../outbound/public-address.js';
import type { Log } from '../telemetry/log.js';
import { budgetOf } from './calls.js';
import type { ExternalProvider, ProviderSettings, ProviderSpec, Providers } from './contract.js';
import type { Discovery } from './discovery.js';
import { findSource, findUnusableIssuers, type IdTokenSource, sourceOf } from './id-token-source.js';
import { openProvider } from './open-provider.js';

export interface ProvidersOptions {
  readonly config: Config;
  readonly log: Pick<Log, 'warn'>;
  /** Providers in the database; absent where there is none. */
  readonly db?: Database;
  /** Of tests. */
  readonly internet?: TestInternet | undefined;
}

type Unusable = { readonly unusable: string };

/** Loads the files of enabled providers. Makes no network call. */
export async function openProviders({ config, log, db, internet }: ProvidersOptions): Promise<Providers> {
  const budgetSeconds = budgetOf(config);
  const all = listProviders(config);
  const { externalAllowedIdTokenIssuers: allowedIssuers } = config;
  const known = new Map<string, ExternalProvider | Unusable>();
  const sources: IdTokenSource[] = [];
  let discovery: Discovery | null = null;
  const openDiscoveryOnce = async (): Promise<Discovery> => {
    const { openDiscovery } = await import('./discovery.js');
    const { externalOidcProviderCacheTtlSeconds: ttlSeconds } = config;
    discovery ??= openDiscovery({ ttlSeconds, callSeconds: budgetSeconds, log });
    return discovery;
  };
  for (const { settings, load } of all) {
    if (!settings.enabled) continue;
    const spec = await load();
    const idTokens = spec.protocol === 'oauth1' ? undefined : spec.idTokens;
    if (idTokens !== undefined) sources.push(sourceOf(idTokens, settings, allowedIssuers));
    const unusable = findMissing(settings);
    known.set(
      settings.name,
      unusable === null ? await openProvider(spec, settings, budgetSeconds, openDiscoveryOnce) : { unusable },
    );
  }

  const off = all.map(({ settings }) => settings).filter(({ enabled }) => !enabled);
  for (const { issuer, reason } of findUnusableIssuers({ sources, off, allowedIssuers })) {
    const fields = { component: 'providers', issuer, reason };
    log.warn(fields, 'AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS lists an issuer whose ID tokens are all refused.');
  }
  const stored =
    db === undefined || !config.customOauthEnabled
      ? null
      : (await import('./stored/index.js')).openStoredProviders({ config, db, log, budgetSeconds, known, internet });
  return {
    stored: stored?.tools ?? null,
    close: () => stored?.close(),
    switches: Object.fromEntries(all.map(({ settings: { name, enabled } }) => [name, enabled])),
    async find(name) {
      const lower = name.toLowerCase();
      const found = (await stored?.find(lower))?.provider ?? known.get(lower);
      if (found !== undefined) return found;
      return {
        unusable: off.some((settings) => settings.name === lower)
          ? 'provider is not enabled'
          : `Provider ${lower} could not be found`,
      };
    },
    async verifyIdToken(request) {
      const own = await stored?.verifyIdToken(request);
      if (own) return own;
      const source = findSource(request, { sources, off, allowedIssuers });
      const { redeemIdToken } = await import('./redeem-id-token.js');
      return redeemIdToken(request, source, await openDiscoveryOnce(), budgetSeconds);
    },
  };
}

/** A provider, enabled or not. */
export interface Loadable {
  readonly settings: ProviderSettings;
  load(): Promise<ProviderSpec>;
}

/** Lists all providers without loading them. */
export function listProviders(config: Config): Loadable[] {
  return [...builtIn(config), ...custom(config)];
}

/** The spec of a provider is the export `provider` of the file with its name, which has `-` for `_`. Names come from the table of settings. */
function builtIn(config: Config): Loadable[] {
  const signingKey = { teamId: config.externalAppleTeamId, keyId: config.externalAppleKeyId };
  const { externalIosBundleId: bundle } = config;
  return Object.entries(config.providers).map(([name, settings]) => ({
    settings: {
      ...settings,
      name,
      ...(name === 'apple' && { signingKey, moreAudiences: bundle === '' ? [] : [bundle] }),
    },
    load: async () =>
      ((await import(`./${name.replaceAll('_', '-')}.js`)) as { readonly provider: ProviderSpec }).provider,
  }));
}

function custom(config: Config): Loadable[] {
  return Object.entries(config.customProviders).map(([name, settings]) => ({
    settings: {
      ...settings,
      name: `custom:${name}`,
      url: '',
      redirectUri: settings.redirectUri === '' ? `${config.apiExternalUrl}/callback` : settings.redirectUri,
    },
    load: async () => (await import('./custom.js')).makeCustomSpec(settings),
  }));
}

/** Settings that an enabled provider requires (docs/decisions.md, Order of checks). */
export function findMissing({
  name,
  clientIds,
  secret,
  redirectUri,
  url,
  signingKey,
}: ProviderSettings): string | null {
  if (clientIds.length === 0) return 'missing OAuth client ID';
  if (secret === '') return 'missing OAuth secret';
  if (redirectUri === '') return 'missing redirect URI';
  if (name === 'keycloak' && url === '') return 'unable to find URL for the Keycloak provider';
  const isKey = signingKey !== undefined && secret.includes('-----BEGIN');
  if (isKey && (signingKey.teamId === '' || signingKey.keyId === '')) return 'missing Apple team ID or key ID';
  return null;
}
