/**
 * Signs in or signs up with a provider's profile.
 */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { releaseAddress } from '../../db/first-proof.js';
import { type ExternalSignInInput, signInExternal } from '../../db/identities.js';
import type { Database } from '../../db/types.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { completeReport, type ProofReport, prepareReport, proveAddress } from '../accounts/first-proof.js';
import { hashAuthCode, NOTHING_TO_SEND } from '../codes/one-time.js';
import { joiningAtSignIn } from '../organizations/join-at-sign-in.js';
import type { App, Client } from '../runtime/app.js';
import { type SignedIn, signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { readClaimedAddresses } from './account-linking.js';
import { decideSignIn } from './decide-sign-in.js';
import { joiningOfProfile } from './organization-of-profile.js';
import { buildIdentityData, readProviderSubject } from './profile.js';
import {
  decideInvitation,
  type ExternalAttempt,
  type ExternalSignIn,
  type Plan,
  planInvitation,
  planSignIn,
} from './sign-in-plan.js';
import { requireRow, retryStalePlans, StalePlanError, unlessStale } from './stale-plan.js';

export type ExternalOutcome =
  | { readonly tokens: TokenResponse }
  | { readonly authCode: string }
  /** Of an attempt that an operator follows: nothing was written. */
  | { readonly isDryRun: true };

const purposes = {
  sign_in: { decide: decideSignIn, plan: planSignIn },
  invite: { decide: decideInvitation, plan: planInvitation },
} as const;

/**
 * @throws ApiError of planSignIn and decideInvitation; only providerEmailMailed writes something, a mail and its token
 */
export async function signInFromProvider(app: App, client: Client, request: ExternalSignIn): Promise<ExternalOutcome> {
  const claimed = readClaimedAddresses(request.profile, app.config.mailerAutoconfirm);
  const subject = readProviderSubject(request.profile);
  const attempt: ExternalAttempt = {
    app,
    client,
    request,
    subject,
    claimed,
    identityData: buildIdentityData(app, request.profile, claimed),
  };
  const { decide, plan } = purposes[request.purpose.kind];
  return retryStalePlans(async () => {
    const decision = await decide(attempt);
    if (request.trace?.isDry && decision.kind !== 'reject') return { isDryRun: true };
    return executePlan(attempt, await plan(attempt, decision));
  });
}

/** @returns undefined when the plan is stale */
async function executePlan(attempt: ExternalAttempt, plan: Plan): Promise<ExternalOutcome | undefined> {
  const { app, client, request } = attempt;
  const authCode = request.flow === null ? null : randomUUID();
  const { tokens, mails } = plan.prepared ?? NOTHING_TO_SEND;
  const proven = plan.change === 'proven' ? plan.provenEmail : undefined;
  const report =
    proven === undefined
      ? null
      : await prepareReport(app, client, 'email', { address: proven, data: attempt.identityData });
  const input: ExternalSignInInput = {
    userId: plan.userId,
    provider: request.provider,
    subject: attempt.subject,
    identityData: attempt.identityData,
    newUser: plan.newUser,
    change: plan.change,
    opensSession: authCode === null,
    organizationProviderId: request.profile.organization?.providerId ?? null,
    userAgent: client.userAgent,
    ip: client.ip,
    flow: authCode === null ? null : await completedFlow(app, request, authCode),
    tokens,
    mails,
    audit: storedAudit(app, plan.audit),
  };
  const joining = joiningAtSignIn(app, client, joiningOfProfile(request.profile), (db: Database) =>
    write(db, attempt, plan, input, report),
  );
  const opened =
    authCode === null
      ? await signInWithClaims(app, client, (db) => unlessStale(joining.write(db)))
      : await unlessStale(joining.write(app.db));
  if (opened === undefined) return undefined;
  logAudit(app, client.requestId, plan.audit);
  joining.logJoining();
  completeReport(app, client, report);
  if (mails.length > 0) app.mail.nudge();
  return authCode === null ? { tokens: await issueTokens(app, opened as SignedIn) } : { authCode };
}

type Written = Awaited<ReturnType<typeof signInExternal>>;

/** @returns undefined when the plan is stale; nothing is written then */
function write(
  db: Database,
  attempt: ExternalAttempt,
  plan: Plan,
  input: ExternalSignInInput,
  report: ProofReport | null,
): Promise<Written> {
  const { request, subject } = attempt;
  if (plan.releaseFrom !== undefined) {
    const { releaseFrom, newUser } = plan;
    return withLockedUser(db, releaseFrom, async (statements) => {
      await releaseAddress(statements, releaseFrom, 'email', newUser!.email!, null);
      return requireRow(await signInExternal(statements, input));
    });
  }
  if (plan.change !== 'proven') return signInExternal(db, input);
  return withLockedUser(db, plan.userId, async (statements) => {
    const identity = { provider: request.provider, subject };
    const { audience, flow } = request;
    const proof = { isOwnConfirmation: false, tokenId: null, flowId: flow?.id ?? null, audience, identity };
    const effect = await proveAddress(statements, plan.userId, 'email', proof, report);
    if (effect === undefined || effect === 'released') throw new StalePlanError();
    return requireRow(await signInExternal(statements, input));
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
