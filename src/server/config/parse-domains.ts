import type { Parsed } from './parse.js';

const fault = (fault: string): { fault: string } => ({ fault });

/**
 * `provider=domain` pairs between commas. A provider may contain colons (`custom:acme`), and an issuer may be a provider.
 * @returns provider → domain
 */
export function parseDomains(text: string): Parsed<Record<string, string>> {
  const found = new Map<string, string>();
  for (const [index, item] of text
    .split(',')
    .map((item) => item.trim())
    .entries()) {
    if (item === '') continue;
    const equals = item.lastIndexOf('=');
    const [provider, domain] = [item.slice(0, Math.max(equals, 0)).trim().toLowerCase(), item.slice(equals + 1).trim()];
    if (equals < 0 || provider === '' || domain === '')
      return fault('must be pairs provider=domain with commas between');
    // Not the name: after a mistake it may be the value of another setting (SEC-74).
    const pair = `pair ${index + 1}`;
    if (/\s/.test(provider) || /\s/.test(domain)) return fault(`must not have blanks inside ${pair}`);
    if (provider === 'email' || provider === 'phone')
      return fault(`must not name ${provider}, which is always in default`);
    if (provider.startsWith('sso:'))
      return fault('must not name single sign-on, where each provider is its own domain');
    if (domain.startsWith('sso:')) return fault(`must not give ${pair} the domain of a single sign-on provider`);
    const known = found.get(provider);
    if (known !== undefined && known !== domain)
      return fault(`names the provider of ${pair} twice, with different domains`);
    found.set(provider, domain);
  }
  return { value: Object.fromEntries(found) };
}
