import { randomUUID } from 'node:crypto';
import { insertUser, type SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { assertNewTokenFits } from './metadata.js';
import { NOTHING_TO_SEND } from './one-time.js';
import { issueTokens, type TokenResponse } from './sessions.js';
import type { SignUpRequest } from './sign-up-attempt.js';

/** POST /signup without an address (reference/core.md 11). */
export async function signUpAnonymously(app: App, client: Client, request: SignUpRequest): Promise<TokenResponse> {
  if (!app.config.externalAnonymousUsersEnabled) throw refuse('anonymousDisabled');
  if (app.config.disableSignup) throw refuse('signupDisabled');
  const { audience, data: userMetadata } = request;
  assertNewTokenFits(app.config, { audience, email: null, phone: null, userMetadata });
  const row = await insertUser(app.db, {
    userId: randomUUID(),
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: null,
    phone: null,
    passwordHash: null,
    isConfirmed: false,
    appMetadata: {},
    userMetadata: request.data,
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
  });
  return issueTokens(app, row as SignedInRow);
}
