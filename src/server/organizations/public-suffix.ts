/**
 * Whether everybody may register names below a domain: com, co.uk, github.io (https://publicsuffix.org). The library is read when a
 * domain is first added.
 * @param domain lower case
 */
export async function isPublicSuffix(domain: string): Promise<boolean> {
  const { getPublicSuffix } = await import('tldts');
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}
