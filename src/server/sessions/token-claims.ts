import { memoize } from '../../caching/memoize.js';
import type { SessionFacts, UserRow } from '../../db/user-rows.js';
import { MAX_TOKEN_BYTES } from '../../jws/token-limit.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import { type EnforcementSettings, isFactorMissing } from './enforcement.js';
import type { OrganizationClaims } from './organization-claims.js';
import { maxAccountBytes, type TokenSettings, tokenBytes } from './token-size.js';
import { toldMetadata } from './told-metadata.js';
import { hasVerifiedFactor } from './verified-factor.js';

/** The columns that tokens contain. */
export type ClaimedAccount = Pick<UserRow, 'id' | 'email' | 'phone' | 'app_metadata' | 'user_metadata' | 'role'> & {
  readonly aud: string | readonly string[];
};

/** Until when an access token is valid. */
export interface TokenLife {
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds. */
  readonly expiresIn: number;
}

/** The payload of an access token as JSON, and until when it is valid. */
export interface RenderedClaims extends TokenLife {
  readonly payload: string;
}

/**
 * Renders the claims of an access token as JSON (RFC 7519). The parts of an account and of a session are memoized:
 * JSON.stringify of the whole costs 2 µs more per refresh.
 * @param nowSeconds seconds since the epoch
 * @param organizations of claimsOfOrganizations(); undefined: none
 * @throws ApiError accessTokenTooLong
 */
export function renderClaims(
  user: Readonly<UserRow>,
  session: SessionFacts,
  config: TokenSettings &
    EnforcementSettings &
    Pick<Config, 'jwtExpiresInSeconds' | 'sessionsAllowLowAalSeconds' | 'apiExternalUrl'>,
  nowSeconds: number,
  organizations?: OrganizationClaims,
): RenderedClaims {
  const expiresIn = lifeSeconds(user, session, config, nowSeconds);
  const exp = nowSeconds + expiresIn;
  const iss = session.client ? issuerOf(config) : config.jwtIssuer;
  const issuer = iss === '' ? '' : `"iss":${JSON.stringify(iss)},`;
  // Tokens of such a session admit to what it takes to verify a factor, here and at every service that checks the role.
  const owner = isFactorMissing(config, user, session, nowSeconds) ? { ...user, role: config.mfaPendingRole } : user;
  const resources = session.client?.aud;
  const shown = session.client ? withToldMetadata(owner) : owner;
  const claimed = resources === undefined ? shown : { ...shown, aud: resources };
  const members = renderMembersOnce(claimed);
  const limit = maxAccountBytes(config);
  const told = organizations?.find(({ bytes }) => members.bytes + bytes <= limit) ?? organizations?.at(-1);
  const reserved = told?.bytes ?? 0;
  const { head, account } = members.bytes + reserved > limit ? renderShortMembers(claimed, config, reserved) : members;
  const tail = `${renderFacts(session)}${told?.text ?? ''},"is_anonymous":${user.is_anonymous}}`;
  return { payload: `{${issuer}${head},"exp":${exp},"iat":${nowSeconds},${account},${tail}`, exp, expiresIn };
}

const withToldMetadata = (user: Readonly<UserRow>): Readonly<UserRow> => {
  const metadata = toldMetadata(user);
  return metadata === user.user_metadata ? user : { ...user, user_metadata: metadata };
};

/** With SESSIONS_ALLOW_LOW_AAL a token below AAL2 ends with the time in which its session may be refreshed. */
function lifeSeconds(
  user: Readonly<UserRow>,
  { aal, amr }: SessionFacts,
  {
    jwtExpiresInSeconds,
    sessionsAllowLowAalSeconds,
  }: Pick<Config, 'jwtExpiresInSeconds' | 'sessionsAllowLowAalSeconds'>,
  nowSeconds: number,
): number {
  if (sessionsAllowLowAalSeconds === null || aal !== 'aal1' || !hasVerifiedFactor(user)) return jwtExpiresInSeconds;
  // The session was opened with its oldest method.
  const openedAt = Math.min(nowSeconds, ...amr.map(({ timestamp }) => timestamp));
  const left = Math.floor(openedAt + sessionsAllowLowAalSeconds - nowSeconds);
  return Math.max(0, Math.min(jwtExpiresInSeconds, left));
}

/** @returns the maximum length of a token of the account */
export const maxTokenBytesOf = (settings: TokenSettings, account: ClaimedAccount): number =>
  tokenBytes(settings, renderMembers(account).bytes);

const renderMembersOnce = memoize(renderMembers);

function renderMembers({ id, aud, email, phone, app_metadata, user_metadata, role }: Readonly<ClaimedAccount>) {
  const head = membersText({ sub: id, aud });
  const account = membersText({ email: email ?? '', phone: phone ?? '', app_metadata, user_metadata, role });
  return { head, account, bytes: Buffer.byteLength(head) + Buffer.byteLength(account) };
}

/**
 * For an account that is too large, by an import, two concurrent changes, or from a time before the limit. Its tokens
 * omit user_metadata, which grants nothing, so that the user can sign in and shorten it. Without app_metadata a token
 * might grant what app_metadata denies.
 * @param reserved bytes for what else the token says
 * @throws ApiError accessTokenTooLong
 */
function renderShortMembers(user: Readonly<ClaimedAccount>, settings: TokenSettings, reserved: number) {
  const members = renderMembers({ ...user, user_metadata: {} });
  const bytes = members.bytes + reserved;
  if (bytes > maxAccountBytes(settings)) {
    throw apiError('accessTokenTooLong', { size: tokenBytes(settings, bytes), limit: MAX_TOKEN_BYTES });
  }
  return members;
}

const renderFacts = memoize(({ aal, amr, session_id, client, act }: SessionFacts) =>
  membersText({
    aal,
    amr,
    session_id,
    ...(client && { client_id: client.client_id, scope: client.scope }),
    ...(client?.jkt !== undefined && { cnf: { jkt: client.jkt } }),
    ...(act && { act: { sub: act.sub } }),
  }),
);

const membersText = (members: object): string => JSON.stringify(members).slice(1, -1);
