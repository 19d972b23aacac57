import { readCustomProviders } from '../../admin/custom-providers/read.js';
import type { App } from '../../app.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

interface KnownProvider {
  readonly name: string;
  readonly source: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** Those of the configuration in its order, then those of the database. */
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

export const getProviders = defineConsole({
  method: 'GET',
  path: '/api/providers',
  role: 'viewer',
  id: 'listProviders',
  tag: 'Settings',
  summary: 'Lists the identity providers, and what is missing before they work.',
  answer: {
    description: 'All that there are, also those that are off.',
    body: objectOf({
      providers: listOf(
        objectOf({
          name: text,
          source: { type: 'string', description: 'configuration or database.' },
          enabled: flag,
          problem: { ...orNull('string'), description: 'Why an enabled one cannot be used.' },
          client_id: orNull('string'),
          callback_url: { type: 'string', description: 'To be registered at the provider, letter by letter.' },
          is_callback_usual: { type: 'boolean', description: 'False: it is not where this server listens.' },
          settings_prefix: { ...orNull('string'), description: 'Of its settings; null: it is in the database.' },
        }),
      ),
    }),
  },
  async handler(app) {
    const usual = `${app.config.apiExternalUrl}/callback`;
    const view = async ({ name, source, enabled, clientId, redirectUri }: KnownProvider) => {
      const found = enabled ? await app.providers.find(name) : null;
      const callback = redirectUri || usual;
      const part = name.replace('custom:', 'custom_').replaceAll('-', '_').toUpperCase();
      return {
        name,
        source,
        enabled,
        problem: found !== null && 'unusable' in found ? found.unusable : null,
        client_id: clientId || null,
        callback_url: callback,
        is_callback_usual: callback === usual,
        settings_prefix: source === 'configuration' ? `AUTH_EXTERNAL_${part}_` : null,
      };
    };
    return { status: 200, body: { providers: await Promise.all((await listKnown(app)).map(view)) } };
  },
});
