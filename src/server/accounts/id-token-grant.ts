import type { App, Client } from '../app.js';
import type { IdTokenRequest } from '../providers/contract.js';
import type { UserCaller } from './caller.js';
import { signInFromProvider } from './external-sign-in.js';
import type { TokenResponse } from './sessions.js';

/**
 * The id_token grant (reference/providers.md 7): somebody a native app has signed in at a provider.
 * @param audience of an account that is made
 * @param linkTo the caller who asked to link the identity, or null to sign in
 * @throws Refusal of {@link Providers.verifyIdToken} and {@link signInFromProvider}
 */
export async function redeemIdToken(
  app: App,
  client: Client,
  request: IdTokenRequest,
  audience: string,
  linkTo: UserCaller | null,
): Promise<TokenResponse> {
  const { provider, isEmailOptional, profile } = await app.providers.verifyIdToken(request);
  const outcome = await signInFromProvider(app, client, {
    provider,
    isEmailOptional,
    profile,
    audience,
    purpose: linkTo === null ? { kind: 'sign_in' } : { kind: 'link', userId: linkTo.user.id },
    flow: null,
  });
  return (outcome as { tokens: TokenResponse }).tokens;
}
