/** Tokens as the server under measurement makes and reads them. */
import { listKeyOf, makeCursor } from '../../src/server/admin/pagination.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { openRefreshToken, type RefreshToken, sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { makeJwtSigner } from '../../src/workers/tasks/jwt.js';
import type { Account } from './requests.js';
import { configOf, type ServerOptions } from './servers.js';

export interface SampledSession {
  readonly session_id: string;
  readonly user_id: string;
  readonly email: string;
  /** Of the user, as in a cursor. */
  readonly created_at: string;
}

/** Makes tokens of users who never signed in. */
export interface TokenMint {
  operatorToken(): string;
  accountOf(session: SampledSession, generation: number): Account;
  /** An operator at the user's position in the list of users. */
  readerAt(session: SampledSession): Account;
  /** @throws when the server would not accept the token */
  openRefreshToken(token: string): RefreshToken;
}

const LIFETIME_SECONDS = 86_400;

export function openTokenMint(options: Pick<ServerOptions, 'databaseUrl' | 'settings'>): TokenMint {
  const config = configOf(options);
  const keys = deriveKeys(config).refreshToken;
  const signer = makeJwtSigner(config.jwtSecret, config.jwtKeyId);
  const iat = Math.floor(Date.now() / 1000);
  const sign = (claims: object) => signer(JSON.stringify({ iat, exp: iat + LIFETIME_SECONDS, ...claims }));
  const operatorToken = () => sign({ role: 'service_role' });
  const operator = operatorToken();
  return {
    operatorToken,
    accountOf: ({ session_id, user_id, email }, generation) => ({
      email,
      accessToken: sign({ sub: user_id, aud: 'authenticated', role: 'authenticated', email, session_id }),
      refreshToken: sealRefreshToken({ sessionId: session_id, generation }, keys.current),
    }),
    readerAt({ user_id, email, created_at }) {
      return {
        email,
        accessToken: operator,
        refreshToken: '',
        cursor: makeCursor({ id: user_id, created_at }, listKeyOf(false, null)),
      };
    },
    openRefreshToken(token) {
      const opened = openRefreshToken(token, keys.accepted(0));
      if (opened === undefined) throw new Error('The server has issued a refresh token that it would not accept');
      return opened;
    },
  };
}
