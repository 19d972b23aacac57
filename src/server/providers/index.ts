/** The room of identity providers. Only what is switched on is loaded. */
import type { Config } from '../config/settings.js';
import { refuse } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { budgetOf } from './calls.js';
import type { ExternalProvider, ProviderSettings, ProviderSpec, Providers } from './contract.js';
import type { ProviderParts } from './oauth2-provider.js';

export interface ProvidersOptions {
  readonly config: Config;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

type Unusable = { readonly unusable: string };

/**
 * Opens the room: loads the files of the providers that are switched on, and calls nobody.
 */
export async function openProviders({ config }: ProvidersOptions): Promise<Providers> {
  const budgetSeconds = budgetOf(config);
  const known = new Map<string, ExternalProvider | Unusable>();
  for (const [name, settings] of Object.entries(config.providers)) {
    const unusable = settings.enabled ? findMissing(name, settings) : 'provider is not enabled';
    if (unusable !== null) {
      known.set(name, { unusable });
      continue;
    }
    const parts: ProviderParts = {
      settings: { ...settings, name },
      url: settings.url === '' ? null : settings.url,
      clientId: settings.clientIds[0]!,
      budgetSeconds,
    };
    known.set(name, await openProvider(await loadSpec(name), parts));
  }
  return {
    switches: Object.fromEntries(Object.entries(config.providers).map(([name, { enabled }]) => [name, enabled])),
    find(name) {
      const lower = name.toLowerCase();
      return known.get(lower) ?? { unusable: `Provider ${lower} could not be found` };
    },
    async verifyIdToken({ idToken, provider, clientId, issuer }) {
      if (idToken === '') throw refuse('idTokenRequest', { reason: 'id_token required' });
      if (provider === '' && (clientId === '' || issuer === '')) {
        throw refuse('idTokenRequest', { reason: 'provider or client_id and issuer required' });
      }
      throw refuse('idTokenIssuer', { reason: `Custom OIDC provider "${provider}" not allowed` });
    },
  };
}

/** The spec of a provider: `provider` of the file that bears its name. Names are those of the table of settings. */
async function loadSpec(name: string): Promise<ProviderSpec> {
  const file = (await import(`./${name}.js`)) as { readonly provider: ProviderSpec };
  return file.provider;
}

async function openProvider(spec: ProviderSpec, parts: ProviderParts): Promise<ExternalProvider | Unusable> {
  switch (spec.protocol) {
    case 'oauth2':
      return (await import('./oauth2-provider.js')).openOAuth2Provider(spec, parts);
    case 'oauth1':
      return (await import('./oauth1.js')).openOAuth1Provider(spec, parts);
    default:
      return { unusable: `provider speaks ${spec.protocol}` };
  }
}

/** What a provider that is switched on cannot do without, in the order of reference/providers.md 1.2. */
function findMissing(name: string, settings: Omit<ProviderSettings, 'name'>): string | null {
  if (settings.clientIds.length === 0) return 'missing OAuth client ID';
  if (settings.secret === '') return 'missing OAuth secret';
  if (settings.redirectUri === '') return 'missing redirect URI';
  if (name === 'keycloak' && settings.url === '') return 'unable to find URL for the Keycloak provider';
  return null;
}
