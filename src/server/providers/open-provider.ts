import type { ExternalProvider, ProviderParts, ProviderSpec } from './contract.js';
import type { Discovery } from './discovery.js';

/** Loads the protocol of a provider. Makes no network call. */
export async function openProvider(
  spec: ProviderSpec,
  settings: ProviderParts['settings'],
  budgetSeconds: number,
  openDiscovery: () => Promise<Discovery>,
  privateHosts?: readonly string[],
): Promise<ExternalProvider> {
  const url = settings.url === '' ? null : settings.url;
  const parts = {
    settings,
    url,
    clientId: settings.clientIds[0]!,
    budgetSeconds,
    ...(privateHosts && { privateHosts }),
  };
  switch (spec.protocol) {
    case 'oauth2':
      return (await import('./oauth2-provider.js')).openOAuth2Provider(spec, parts);
    case 'oidc':
      return (await import('./oidc.js')).openOidcProvider(spec, parts, await openDiscovery());
    case 'oauth1':
      return (await import('./oauth1.js')).openOAuth1Provider(spec, parts);
  }
}
