import type { LinkTarget } from '../../db/flow-states.js';
import type { IdTokenRequest } from '../providers/contract.js';
import type { App, Client } from '../runtime/app.js';
import type { TokenResponse } from '../sessions/open.js';
import { linkIdentity, readWanted } from './link-identity.js';
import { withVouchedAddresses } from './organization-of-profile.js';
import { signInFromProvider } from './provider-sign-in.js';

/**
 * The id_token grant, for native apps that signed their user in at a provider (docs/decisions.md, ID tokens).
 * @param audience of a new account
 * @param linkTo account and session that link the identity; null to sign in
 * @throws ApiError of {@link Providers.verifyIdToken}, {@link signInFromProvider} and {@link linkIdentity}
 */
export async function signInWithIdToken(
  app: App,
  client: Client,
  request: IdTokenRequest,
  audience: string,
  linkTo: LinkTarget | null,
): Promise<TokenResponse> {
  const { provider, isEmailOptional, profile: given } = await app.providers.verifyIdToken(request);
  const profile = await withVouchedAddresses(app, provider, given);
  if (linkTo !== null) return linkIdentity(app, client, readWanted(app, provider, profile), linkTo, null);
  const outcome = await signInFromProvider(app, client, {
    provider,
    isEmailOptional,
    profile,
    audience,
    purpose: { kind: 'sign_in' },
    flow: null,
    trace: null,
  });
  return (outcome as { tokens: TokenResponse }).tokens;
}
