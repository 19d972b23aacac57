/** A user decides what a client may do. The endpoints and the hosted pages share these rules. */
import { createHash, randomBytes } from 'node:crypto';
import { type OpenedAuthorization, openAuthorization, readAuthorizationState } from '../../db/oauth-authorizations.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { hasVerifiedFactor } from '../sessions/verified-factor.js';
import { answerLocation } from './answer-location.js';
import { isIdentified } from './client-identity.js';
import { approveRequest, type ConsentCaller, denyRequest, ownerOf } from './decide-request.js';
import { chooseOrganization, type OrganizationChoice, readOrganizationChoice } from './organization-choice.js';

export type ConsentAction = 'approve' | 'deny';

/** What is asked of the user, or where the browser goes at once. */
export type Authorization =
  | { readonly redirectUrl: string }
  | {
      readonly redirectUrl?: undefined;
      readonly asked: OpenedAuthorization;
      /** For which organization. */
      readonly choice: OrganizationChoice;
    };

const CODE_BYTES = 32;

/** Codes have 256 random bits, so no slow hash is needed. @returns base64url */
export const hashAuthorizationCode = (code: string): string => createHash('sha256').update(code).digest('base64url');

/**
 * What a request asks of its user. A consent that is remembered for all its scopes answers at once, except for a user
 * whose second factor is still missing in the session.
 * @param requestId for the audit log
 * @param formerOwners users from whom this one may take the request over: the other accounts of the browser
 * @throws ApiError authorizationNotFound, authorizationNotOpen, sessionNotFound, loginTooOld, notAMember
 */
export async function readAuthorization(
  app: App,
  requestId: string,
  caller: ConsentCaller,
  id: string,
  formerOwners: readonly string[] = [],
): Promise<Authorization> {
  const owner = ownerOf(caller);
  const ttl = app.config.oauthServerAuthorizationTtlSeconds;
  const asked = await openAuthorization(app.db, id, owner, ttl, formerOwners);
  if (asked === undefined) {
    const state = await readAuthorizationState(app.db, id, owner.userId, ttl);
    throw apiError(state === undefined ? 'authorizationNotFound' : 'authorizationNotOpen');
  }
  assertFresh(asked);
  const choice = await readOrganizationChoice(app, asked.request, asked.client, owner.userId);
  if (!asked.is_first || !isCovered(asked, choice)) return { asked, choice };
  if (hasVerifiedFactor(caller.user) && caller.claims['aal'] !== 'aal2') return { asked, choice };
  return { redirectUrl: await approve(app, requestId, caller, id, choice.only?.id ?? null) };
}

/**
 * @param requestId for the audit log
 * @param organizationId that the user has chosen; undefined: none
 * @returns where the browser goes: to the client, with a code or an error
 * @throws ApiError authorizationNotFound, authorizationDecided, aalForConsent, stepUpRequired, sessionNotFound, notAMember,
 *   organizationChoiceMissing
 */
export async function decideAuthorization(
  app: App,
  requestId: string,
  caller: ConsentCaller,
  id: string,
  action: ConsentAction,
  organizationId?: string,
): Promise<string> {
  if (action === 'deny') return deny(app, requestId, caller, id);
  return approve(app, requestId, caller, id, await chooseFor(app, caller, id, organizationId));
}

/** Reads nothing where organizations are off. @returns what a request is allowed for */
async function chooseFor(
  app: App,
  caller: ConsentCaller,
  id: string,
  given: string | undefined,
): Promise<string | null> {
  if (!app.config.organizationsEnabled) return null;
  const { userId } = ownerOf(caller);
  const state = await readAuthorizationState(app.db, id, userId, app.config.oauthServerAuthorizationTtlSeconds);
  // The approval finds out why there is nothing to decide.
  if (state === undefined || state.is_unopened || state.status !== 'pending') return null;
  return chooseOrganization(app, state, state.client, userId, given);
}

async function approve(
  app: App,
  requestId: string,
  caller: ConsentCaller,
  id: string,
  organizationId: string | null,
): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const target = await approveRequest(app, requestId, caller, {
    request: { id, userCode: null, organizationId },
    ttlSeconds: app.config.oauthServerAuthorizationTtlSeconds,
    codeHash: hashAuthorizationCode(code),
  });
  if (target === undefined) throw await explainUndecided(app, id, caller.user.id);
  return answerLocation(target.redirect_uri!, { code, state: target.state, iss: issuerOf(app.config) });
}

async function deny(app: App, requestId: string, caller: ConsentCaller, id: string): Promise<string> {
  const target = await denyRequest(app, requestId, caller, {
    request: { id, userCode: null },
    ttlSeconds: app.config.oauthServerAuthorizationTtlSeconds,
  });
  if (target === undefined) throw await explainUndecided(app, id, caller.user.id);
  return answerLocation(target.redirect_uri!, {
    error: 'access_denied',
    error_description: 'User denied the request',
    state: target.state,
    iss: issuerOf(app.config),
  });
}

/**
 * A request that this user has decided before. Its code is never given out again.
 * @returns the client, and the page of it that is a way back, if there is one for sure; undefined: it is not decided
 */
export async function findDecided(
  app: App,
  { user }: ConsentCaller,
  id: string,
): Promise<{ readonly client: OauthClientRow; readonly home: string | null } | undefined> {
  const state = await readAuthorizationState(app.db, id, user.id, app.config.oauthServerAuthorizationTtlSeconds);
  if (state === undefined || state.redirect_uri === null || state.status === 'pending') return undefined;
  const { client, redirect_uri: redirectUri } = state;
  // A program on the user's machine has stopped listening, and an app has no page.
  const isWebsite = /^https?:/.test(redirectUri) && isIdentified(client, redirectUri);
  return { client, home: isWebsite ? `${new URL(redirectUri).origin}/` : null };
}

async function explainUndecided(app: App, id: string, userId: string) {
  const state = await readAuthorizationState(app.db, id, userId, app.config.oauthServerAuthorizationTtlSeconds);
  // The details come first: they make the user the owner of the request.
  if (state === undefined || state.is_unopened) return apiError('authorizationNotFound');
  if (state.status === 'pending') await readOrganizationChoice(app, state, state.client, userId);
  return apiError('authorizationDecided');
}

const isCovered = (
  { consented, consented_organizations: known, request, client }: OpenedAuthorization,
  { isAsked, only }: OrganizationChoice,
): boolean =>
  consented !== null &&
  !isAsked &&
  (only === null || known?.includes(only.id) === true) &&
  !request.asks_consent &&
  isIdentified(client, request.redirect_uri) &&
  request.scopes.every((scope) => consented.includes(scope));

/** OpenID Connect Core 3.1.2.1, max_age. A sign-in during the request is fresh in any case. */
function assertFresh({ request, session_age_seconds: sessionAge, age_seconds: age }: OpenedAuthorization): void {
  const { max_age_seconds: maxAge } = request;
  if (maxAge === null || sessionAge === null || sessionAge <= Math.max(maxAge, age)) return;
  throw apiError('loginTooOld', {}, { extra: { max_age: maxAge } });
}
