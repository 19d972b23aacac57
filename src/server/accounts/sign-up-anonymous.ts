import { randomUUID } from 'node:crypto';
import { insertUser, type SignUpInput } from '../../db/users.js';
import { NOTHING_TO_SEND } from '../codes/one-time.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { assertNewTokenFits } from './metadata.js';
import { assertMayCreate } from './new-user-hook.js';
import type { SignUpRequest } from './sign-up-attempt.js';

/** POST /signup without an address. */
export async function signUpAnonymously(app: App, client: Client, request: SignUpRequest): Promise<TokenResponse> {
  if (!app.config.externalAnonymousUsersEnabled) throw apiError('anonymousDisabled');
  if (app.config.disableSignup) throw apiError('signupDisabled');
  const { audience, data: userMetadata } = request;
  assertNewTokenFits(app.config, { audience, email: null, phone: null, userMetadata });
  const id = randomUUID();
  const planned = { id, audience, email: null, phone: null, appMetadata: {}, userMetadata, isAnonymous: true };
  await assertMayCreate(app, client, planned);
  const newUser: SignUpInput = {
    userId: id,
    audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: null,
    phone: null,
    passwordHash: null,
    isConfirmed: false,
    appMetadata: {},
    userMetadata,
    isAnonymous: true,
    identityProvider: null,
    identityData: {},
    oneTimeTokens: NOTHING_TO_SEND.tokens,
    sessionMethod: 'anonymous',
    userAgent: client.userAgent,
    ip: client.ip,
    audit: [],
    mails: NOTHING_TO_SEND.mails,
    flow: NOTHING_TO_SEND.flow,
    isInvited: false,
  };
  const opened = await signInWithClaims(app, client, (db) => insertUser(db, newUser));
  return issueTokens(app, opened!);
}
