/** The identity providers as operators see them: those of the configuration, then those of the database. */
import { readCustomProviders } from '../admin/custom-providers/read.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { guideOfProvider } from './provider-guides/index.js';

interface KnownProvider {
  readonly name: string;
  readonly source: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly clientId: string;
  readonly redirectUri: string;
}

async function listKnown(app: App): Promise<KnownProvider[]> {
  const { config, providers } = app;
  const custom = Object.entries(config.customProviders).map(
    ([name, settings]) => [`custom:${name}`, settings] as const,
  );
  const configured = [...Object.entries(config.providers), ...custom].map(
    ([name, { clientIds, redirectUri }]): KnownProvider => ({
      name,
      source: 'configuration',
      enabled: providers.switches[name] === true,
      clientId: clientIds[0] ?? '',
      redirectUri,
    }),
  );
  if (providers.stored === null) return configured;
  const stored = (await readCustomProviders(app, '')).map(
    ({ identifier, settings }): KnownProvider => ({
      name: identifier,
      source: 'database',
      enabled: settings.enabled,
      clientId: settings.client_id,
      redirectUri: '',
    }),
  );
  return [...configured, ...stored];
}

/** Where this server listens. */
export const usualCallback = ({ config }: Pick<App, 'config'>): string => `${config.apiExternalUrl}/callback`;

async function viewProvider(app: App, { name, source, enabled, clientId, redirectUri }: KnownProvider) {
  const usual = usualCallback(app);
  const found = enabled ? await app.providers.find(name) : null;
  const callback = redirectUri || usual;
  const part = name.replace('custom:', 'custom_').replaceAll('-', '_').toUpperCase();
  return {
    name,
    title: guideOfProvider(name).title,
    replaced_by: guideOfProvider(name).replacedBy ?? null,
    source,
    enabled,
    problem: found !== null && 'unusable' in found ? found.unusable : null,
    client_id: clientId || null,
    callback_url: callback,
    is_callback_usual: callback === usual,
    settings_prefix: source === 'configuration' ? `AUTH_EXTERNAL_${part}_` : null,
  };
}

export type ProviderView = Awaited<ReturnType<typeof viewProvider>>;

export async function viewProviders(app: App): Promise<readonly ProviderView[]> {
  return Promise.all((await listKnown(app)).map((provider) => viewProvider(app, provider)));
}

/**
 * @param name of a path. One of the database replaces one of the configuration with the same name, as in a sign-in.
 * @throws ApiError providerUnknown
 */
export async function readProvider(app: App, name: string): Promise<ProviderView> {
  const found = (await listKnown(app)).findLast((provider) => provider.name === name);
  if (found === undefined) throw apiError('providerUnknown');
  return viewProvider(app, found);
}
