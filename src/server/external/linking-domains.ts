/** Linking domains: accounts are linked by address with providers of the same domain only. */
import type { App } from '../runtime/app.js';

type DomainConfig = Pick<
  App['config'],
  'experimentalProviderLinkingDomains' | 'experimentalProvidersWithOwnLinkingDomain'
>;

/** Of email, phone, and all providers that no setting names. */
export const DEFAULT_DOMAIN = 'default';

/** EXPERIMENTAL_PROVIDER_LINKING_DOMAINS wins over EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN. */
export function linkingDomainOf(config: DomainConfig, provider: string): string {
  const domains = config.experimentalProviderLinkingDomains;
  if (provider.startsWith('sso:')) return provider;
  if (Object.hasOwn(domains, provider)) return domains[provider]!;
  return config.experimentalProvidersWithOwnLinkingDomain.includes(provider) ? provider : DEFAULT_DOMAIN;
}

/** @returns the providers of a domain, null for the default one, and all that are in another than the default one */
export function providersByDomain(config: DomainConfig, domain: string) {
  const named = [
    ...Object.keys(config.experimentalProviderLinkingDomains),
    ...config.experimentalProvidersWithOwnLinkingDomain,
  ];
  const outside = [...new Set(named)].filter((provider) => linkingDomainOf(config, provider) !== DEFAULT_DOMAIN);
  return {
    domainProviders:
      domain === DEFAULT_DOMAIN ? null : outside.filter((provider) => linkingDomainOf(config, provider) === domain),
    otherDomainProviders: outside,
  };
}
