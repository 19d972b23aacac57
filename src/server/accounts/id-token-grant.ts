import type { LinkTarget } from '../../db/flow-states.js';
import type { App, Client } from '../app.js';
import type { IdTokenRequest } from '../providers/contract.js';
import { signInFromProvider } from './external-sign-in.js';
import { linkIdentity, readWanted } from './link-identity.js';
import type { TokenResponse } from './sessions.js';

/**
 * The id_token grant (reference/providers.md 7): somebody a native app has signed in at a provider.
 * @param audience of an account that is made
 * @param linkTo the account that asked to link the identity, with its session; null to sign in
 * @throws Refusal of {@link Providers.verifyIdToken}, {@link signInFromProvider} and {@link linkIdentity}
 */
export async function redeemIdToken(
  app: App,
  client: Client,
  request: IdTokenRequest,
  audience: string,
  linkTo: LinkTarget | null,
): Promise<TokenResponse> {
  const { provider, isEmailOptional, profile } = await app.providers.verifyIdToken(request);
  if (linkTo !== null) return linkIdentity(app, client, readWanted(app, provider, profile), linkTo, null);
  const outcome = await signInFromProvider(app, client, {
    provider,
    isEmailOptional,
    profile,
    audience,
    purpose: { kind: 'sign_in' },
    flow: null,
  });
  return (outcome as { tokens: TokenResponse }).tokens;
}
