import { onceEach } from '../../caching/once-each.js';
import type { SessionFacts, UserRow } from '../../db/users.js';
import type { Config } from '../config/settings.js';
import { refuse } from '../errors.js';
import { MAX_TOKEN_BYTES } from '../token-limit.js';
import { maxAccountBytes, type TokenSettings, tokenBytes } from './token-size.js';

/** What of an account its tokens repeat. */
export type ClaimedAccount = Pick<
  UserRow,
  'id' | 'aud' | 'email' | 'phone' | 'app_metadata' | 'user_metadata' | 'role'
>;

/**
 * The claims of an access token as JSON text, in wire order (RFC 7519). What stays the same in all tokens of an account or
 * a session is written once: with JSON.stringify of the whole a refresh costs 2 µs more.
 * @param nowSeconds seconds since the epoch
 * @throws Refusal accessTokenTooLong
 */
export function renderClaims(
  user: Readonly<UserRow>,
  session: SessionFacts,
  config: TokenSettings & Pick<Config, 'jwtExpiresInSeconds'>,
  nowSeconds: number,
): { readonly payload: string; readonly exp: number } {
  const exp = nowSeconds + config.jwtExpiresInSeconds;
  const issuer = config.jwtIssuer === '' ? '' : `"iss":${JSON.stringify(config.jwtIssuer)},`;
  const members = membersOf(user);
  const { head, account } = members.bytes > maxAccountBytes(config) ? shortenedMembersOf(user, config) : members;
  const ends = `${factsOf(session)},"is_anonymous":${user.is_anonymous}}`;
  return { payload: `{${issuer}${head},"exp":${exp},"iat":${nowSeconds},${account},${ends}`, exp };
}

/** @returns how long a token of an account may get */
export const tokenBytesOf = (settings: TokenSettings, account: ClaimedAccount): number =>
  tokenBytes(settings, renderMembers(account).bytes);

const membersOf = onceEach(renderMembers);

function renderMembers({ id, aud, email, phone, app_metadata, user_metadata, role }: Readonly<ClaimedAccount>) {
  const head = membersText({ sub: id, aud });
  const account = membersText({ email: email ?? '', phone: phone ?? '', app_metadata, user_metadata, role });
  return { head, account, bytes: Buffer.byteLength(head) + Buffer.byteLength(account) };
}

/**
 * Of an account that became too long before there was a limit, by an import, or by two changes at once. Its tokens go without
 * user_metadata, which must not decide anything, so that its owner gets in and can shorten it. Without app_metadata a token
 * could grant what that denies.
 * @throws Refusal accessTokenTooLong
 */
function shortenedMembersOf(user: Readonly<UserRow>, settings: TokenSettings) {
  const members = renderMembers({ ...user, user_metadata: {} });
  if (members.bytes > maxAccountBytes(settings)) {
    throw refuse('accessTokenTooLong', { size: tokenBytes(settings, members.bytes), limit: MAX_TOKEN_BYTES });
  }
  return members;
}

const factsOf = onceEach(({ aal, amr, session_id }: SessionFacts) => membersText({ aal, amr, session_id }));

const membersText = (members: object): string => JSON.stringify(members).slice(1, -1);
