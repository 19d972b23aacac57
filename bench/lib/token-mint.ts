/** Tokens of accounts that never signed in: sealed and signed as the server under measurement would. */
import { deriveKeys } from '../../src/server/accounts/keys.js';
import { makeCursor } from '../../src/server/accounts/pagination.js';
import { sealRefreshToken } from '../../src/server/accounts/refresh-token.js';
import { loadConfig } from '../../src/server/config/load.js';
import { makeJwtSigner } from '../../src/workers/tasks/jwt.js';
import { environmentOf, type ServerOptions } from './servers.js';
import type { Account } from './traffic.js';

export interface SampledSession {
  readonly session_id: string;
  readonly user_id: string;
  readonly email: string;
  /** When the account was made, as in a cursor. */
  readonly created_at: string;
}

export interface TokenMint {
  operatorToken(): string;
  accountOf(session: SampledSession, generation: number): Account;
  /** The same place in the list of accounts, to be read by an operator. */
  readerAt(session: SampledSession): Account;
}

const LIFETIME_SECONDS = 86_400;

export function openTokenMint(options: ServerOptions): TokenMint {
  const { config } = loadConfig({ environment: environmentOf(options, 0), file: null });
  const refreshKey = deriveKeys(config).refreshToken.current;
  const sign = makeJwtSigner(config.jwtSecret, config.jwtKeyId);
  const now = Math.floor(Date.now() / 1000);
  const life = { iat: now, exp: now + LIFETIME_SECONDS };
  const operatorToken = () => sign(JSON.stringify({ ...life, role: 'service_role' }));
  const operator = operatorToken();
  return {
    operatorToken,
    accountOf({ session_id, user_id, email }, generation) {
      const claims = { ...life, sub: user_id, aud: 'authenticated', role: 'authenticated', email, session_id };
      return {
        email,
        accessToken: sign(JSON.stringify(claims)),
        refreshToken: sealRefreshToken({ sessionId: session_id, generation }, refreshKey),
      };
    },
    readerAt({ user_id, email, created_at }) {
      return { email, accessToken: operator, refreshToken: '', cursor: makeCursor({ id: user_id, created_at }) };
    },
  };
}
