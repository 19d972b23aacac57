/** The introspection endpoint (RFC 7662). */
import { findClient, type OauthClientRow } from '../../db/oauth-clients.js';
import { isMachineTokenRevoked } from '../../db/oauth-machine.js';
import { type ActiveClientSession, readActiveSession } from '../../db/oauth-sessions.js';
import { boundKeyOf } from '../dpop/bound-token.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import type { AccessTokenClaims } from '../sessions/access-token.js';
import { issuedAt } from '../sessions/find-caller.js';
import { authenticateClient } from './client-authentication.js';
import { MACHINE_GRANT } from './client-fields.js';
import { clientSessionBounds } from './client-sessions.js';
import type { TokenRequest } from './contract.js';
import { type PresentedToken, readPresentedToken } from './presented-token.js';
import { subjectOf } from './subject.js';

/** A token that is active (RFC 7662 2.2). */
interface ActiveToken {
  readonly client_id: string;
  readonly sub: string;
  readonly iss: string;
  readonly aud?: string | readonly string[] | undefined;
  readonly scope: string;
  readonly exp?: number | undefined;
  readonly iat?: number;
  /** Of access tokens. */
  readonly token_type?: 'Bearer' | 'DPoP';
  /** The key that it is bound to (RFC 9449 6.2). */
  readonly cnf?: { readonly jkt: string };
  /** The organization that it acts for, as the token says. */
  readonly [claim: `org_${string}`]: unknown;
}

/** Of a token that is not active, nothing else is said. */
export type Introspection = { readonly active: false } | ({ readonly active: true } & ActiveToken);

interface Found {
  /** Id of the client that got the token. */
  readonly ownerId: string;
  readonly token: ActiveToken;
}

const ORGANIZATION_CLAIMS = ['org_id', 'org_slug', 'org_roles', 'org_permissions'] as const;

/** The session has no limit of its own while an access token is valid. */
const UNBOUNDED = { timeboxSeconds: null, inactivitySeconds: null };

/**
 * What a resource server may know of a token. It is a client of its own, with a secret.
 * @throws ApiError clientNotProven, oauthTokenMissing, pairwiseUnavailable
 */
export async function introspectToken(
  app: App,
  { presented, parameters }: Pick<TokenRequest, 'presented' | 'parameters'>,
): Promise<Introspection> {
  const { client } = await authenticateClient(app, presented, false);
  if (client.client_type !== 'confidential') {
    throw apiError('clientNotProven', { reason: 'introspection needs a client with a secret' });
  }
  const presentedToken = await readPresentedToken(app, parameters);
  const found = presentedToken && (await findActive(app, presentedToken));
  if (presentedToken === undefined || found === undefined || !mayKnow(client, found)) return { active: false };
  const { sub } = found.token;
  // As the client that asks knows the user.
  const subject = presentedToken.kind === 'machine' ? sub : subjectOf(app.config, client, sub);
  return { active: true, ...found.token, sub: subject };
}

/** Its own tokens, and those for it or for a resource that it serves. */
const mayKnow = ({ id, resources }: OauthClientRow, { ownerId, token }: Found): boolean =>
  ownerId === id || [token.aud ?? []].flat().some((one) => one === id || resources.includes(one));

/** @returns undefined for a token that is not active */
async function findActive(app: App, token: PresentedToken): Promise<Found | undefined> {
  if (token.kind === 'machine') return findMachineToken(app, token);
  const bounds = token.kind === 'refresh' ? clientSessionBounds(app) : UNBOUNDED;
  const session = await readActiveSession(app.db, token.sessionId, bounds);
  if (session === undefined) return undefined;
  const isActive = token.kind === 'refresh' ? isCurrent(session, token) : isOfSession(session, token.claims);
  if (!isActive) return undefined;
  const { oauth_client_id: ownerId, user_id: sub, client, ends_at: endsAt } = session;
  const { client_id, scope, aud, jkt } = client;
  if (token.kind === 'access') {
    // A user who has left the organization acts for it no more.
    const isOfOrganization = token.claims['org_id'] === session.organization_id;
    return { ownerId, token: describeAccess(app, token.claims, client_id, isOfOrganization) };
  }
  const exp = endsAt === null ? {} : { exp: endsAt };
  const cnf = jkt === undefined ? {} : { cnf: { jkt } };
  return { ownerId, token: { client_id, sub, iss: issuerOf(app.config), ...(aud && { aud }), scope, ...exp, ...cnf } };
}

/** An earlier refresh token was exchanged for the current one. */
const isCurrent = (session: ActiveClientSession, token: { readonly generation: number }): boolean =>
  session.generation === token.generation;

function isOfSession(session: ActiveClientSession, claims: AccessTokenClaims): boolean {
  const { user_id, client, tokens_revoked_at: revokedAt } = session;
  const isRevoked = revokedAt !== null && issuedAt(claims) <= revokedAt;
  return !isRevoked && claims.sub === user_id && claims['client_id'] === client.client_id;
}

/** A token of a client for itself is valid as long as the client may get such tokens, and has not given it up. */
async function findMachineToken(
  app: App,
  { clientId, tokenId, claims }: PresentedToken & { readonly kind: 'machine' },
): Promise<Found | undefined> {
  const client = await findClient(app.db, clientId);
  const mayBeActive = app.config.oauthServerClientCredentialsEnabled && client?.grant_types.includes(MACHINE_GRANT);
  if (!mayBeActive || (await isMachineTokenRevoked(app.db, tokenId))) return undefined;
  return { ownerId: clientId, token: describeAccess(app, claims, clientId, true) };
}

function describeAccess(
  { config }: App,
  claims: AccessTokenClaims,
  client_id: string,
  isOfOrganization: boolean,
): ActiveToken {
  const jkt = boundKeyOf(claims);
  return {
    client_id,
    sub: claims.sub ?? '',
    iss: issuerOf(config),
    aud: claims.aud,
    scope: String(claims['scope'] ?? ''),
    exp: claims.exp,
    iat: issuedAt(claims),
    ...(isOfOrganization &&
      Object.fromEntries(ORGANIZATION_CLAIMS.flatMap((name) => (name in claims ? [[name, claims[name]]] : [])))),
    ...(jkt === null ? { token_type: 'Bearer' } : { token_type: 'DPoP', cnf: { jkt } }),
  };
}
