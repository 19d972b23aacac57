/**
 * Signs in or up somebody a provider vouches for. What is decided on a read may be overtaken by a second sign-in of the
 * same person: the write then fails as a whole, and the decision is made again.
 */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { releaseAddress } from '../../db/first-proof.js';
import { type ExternalSignInInput, signInExternal } from '../../db/identities.js';
import type { SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { logAudit, storedAudit } from './audit.js';
import { type Attempt, type ExternalSignIn, type Plan, planInvitation, planSignIn } from './external-plans.js';
import { identityDataOf, readSubject } from './external-profile.js';
import { proveAddress } from './first-proof.js';
import { readClaimed } from './linking.js';
import { hashAuthCode, NOTHING_TO_SEND } from './one-time.js';
import { issueTokens, type TokenResponse } from './sessions.js';
import { orVoid, unlessVoid, VoidPlanError } from './void-plan.js';

export type ExternalOutcome = { readonly tokens: TokenResponse } | { readonly authCode: string };

const ATTEMPTS = 4;

/**
 * @throws Refusal of planSignIn and planInvitation; of these only providerEmailMailed leaves something behind, a mail and
 *   what it confirms
 */
export async function signInFromProvider(app: App, client: Client, request: ExternalSignIn): Promise<ExternalOutcome> {
  const claimed = readClaimed(request.profile, app.config.mailerAutoconfirm);
  const subject = readSubject(request.profile);
  const attempt: Attempt = {
    app,
    client,
    request,
    subject,
    claimed,
    identityData: identityDataOf(app, request.profile, claimed),
  };
  const planFor = { sign_in: planSignIn, invite: planInvitation }[request.purpose.kind];
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const outcome = await carryOut(attempt, await planFor(attempt));
    if (outcome !== undefined) return outcome;
  }
  throw refuse('unexpectedFailure', {}, { cause: new Error('the account kept changing while it was signed in to') });
}

/** @returns undefined when somebody was quicker, and the plan is void */
async function carryOut(attempt: Attempt, plan: Plan): Promise<ExternalOutcome | undefined> {
  const { app, client, request } = attempt;
  const authCode = request.flow === null ? null : randomUUID();
  const { tokens, mails } = plan.prepared ?? NOTHING_TO_SEND;
  const input: ExternalSignInInput = {
    userId: plan.userId,
    provider: request.provider,
    subject: attempt.subject,
    identityData: attempt.identityData,
    newUser: plan.newUser,
    change: plan.change,
    opensSession: authCode === null,
    userAgent: client.userAgent,
    ip: client.ip,
    flow: authCode === null ? null : await completedFlow(app, request, authCode),
    tokens,
    mails,
    audit: storedAudit(app, plan.audit),
  };
  const row = await unlessVoid(write(attempt, plan, input));
  if (row === undefined) return undefined;
  logAudit(app, client.requestId, plan.audit);
  if (mails.length > 0) app.mail.nudge();
  return authCode === null ? { tokens: await issueTokens(app, row as SignedInRow) } : { authCode };
}

type Written = Awaited<ReturnType<typeof signInExternal>>;

/** @returns undefined when the plan is void; nothing is written then */
function write(attempt: Attempt, plan: Plan, input: ExternalSignInInput): Promise<Written> {
  const { app, request, subject } = attempt;
  if (plan.releaseFrom !== undefined) {
    const { releaseFrom, newUser } = plan;
    return withLockedUser(app.db, releaseFrom, async (statements) => {
      await releaseAddress(statements, releaseFrom, 'email', newUser!.email!, null);
      return orVoid(await signInExternal(statements, input));
    });
  }
  if (plan.change !== 'proven') return signInExternal(app.db, input);
  return withLockedUser(app.db, plan.userId, async (statements) => {
    const effect = await proveAddress(statements, plan.userId, 'email', {
      isOwnConfirmation: false,
      tokenId: null,
      flowId: request.flow?.id ?? null,
      audience: request.audience,
      identity: { provider: request.provider, subject },
    });
    if (effect === undefined || effect === 'released') throw new VoidPlanError();
    return orVoid(await signInExternal(statements, input));
  });
}

async function completedFlow(
  app: App,
  { flow }: ExternalSignIn,
  authCode: string,
): Promise<NonNullable<ExternalSignInInput['flow']>> {
  const { id, accessToken, refreshToken } = flow!;
  const seal = (text: string | null): string | null => (text === null ? null : app.keys.flowSealer.seal(id, text));
  return {
    id,
    auth_code_hash: await hashAuthCode(app, authCode),
    access_token: seal(accessToken),
    refresh_token: seal(refreshToken),
  };
}
