import type { IdentityProvider } from './company-sign-in.js';
import { openMessageTrace } from './message-trace.js';
import { keepProviderKey } from './provider-key.js';

export { providerPaths } from './addresses.js';
export { adminCalls } from './admin-call.js';
export type { IdentityProvider } from './company-sign-in.js';
export { keepSamlKey } from './provider-key.js';
export { COMPANY_RESOURCE_ID, registerProvider } from './register.js';
export { identityProviderRoutes } from './routes.js';

/**
 * @param directory where its key is kept, which is made in the background at the first start
 * @param baseUrl of this server, as browsers have it
 */
export function openIdentityProvider(directory: string, baseUrl: string): IdentityProvider {
  const key = keepProviderKey(directory);
  // Its callers handle it; until then it must not count as unhandled.
  key.catch(() => undefined);
  return { key, trace: openMessageTrace(), baseUrl, admin: null };
}
