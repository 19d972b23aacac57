import { onceEach } from '../../caching/once-each.js';
import type { SessionFacts, UserRow } from '../../db/users.js';
import type { Config } from '../config/settings.js';

/**
 * The claims of an access token as JSON text, in wire order (reference/core.md 6.2, RFC 7519). What stays the same in all
 * tokens of an account or a session is written once: with JSON.stringify of the whole a refresh costs 2 µs more.
 * @param nowSeconds seconds since the epoch
 */
export function renderClaims(
  user: Readonly<UserRow>,
  session: SessionFacts,
  config: Pick<Config, 'jwtIssuer' | 'jwtExpiresInSeconds'>,
  nowSeconds: number,
): { readonly payload: string; readonly exp: number } {
  const exp = nowSeconds + config.jwtExpiresInSeconds;
  const issuer = config.jwtIssuer === '' ? '' : `"iss":${JSON.stringify(config.jwtIssuer)},`;
  const { head, account } = membersOf(user);
  const ends = `${factsOf(session)},"is_anonymous":${user.is_anonymous}}`;
  return { payload: `{${issuer}${head},"exp":${exp},"iat":${nowSeconds},${account},${ends}`, exp };
}

const membersOf = onceEach(({ id, aud, email, phone, app_metadata, user_metadata, role }: Readonly<UserRow>) => ({
  head: membersText({ sub: id, aud }),
  account: membersText({ email: email ?? '', phone: phone ?? '', app_metadata, user_metadata, role }),
}));

const factsOf = onceEach(({ aal, amr, session_id }: SessionFacts) => membersText({ aal, amr, session_id }));

const membersText = (members: object): string => JSON.stringify(members).slice(1, -1);
