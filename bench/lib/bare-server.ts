/**
 * A server reduced to the answers: it parses, verifies the token, runs the server's own statements (sending the versions of
 * the users it knows), signs and writes JSON. It has no rules, limits, logs, time-outs, validation or threads. A server
 * with this engine and this driver cannot use less on this machine.
 */
import type { KeyObject } from 'node:crypto';
import pg from 'pg';
import { loadConfig } from '../../src/server/config/load.js';
import { type EngineRequest, type EngineResponse, loadEngine } from '../../src/server/http/engine.js';
import { openTokenKeys } from '../../src/server/keys/token-keys.js';
import { verifyAccessToken } from '../../src/server/sessions/access-token.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { openRefreshToken, type RefreshToken, sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { makeJwtSigner } from '../../src/workers/tasks/jwt.js';
import { statement } from './database.js';

type User = Record<string, unknown> & { id: string };
/** A user whose version was not known. */
type News = { version: string; user: User; identities: unknown };
type Row = { batch_position: number };
type RedeemedRow = Row & { news: (News & { aal: string; amr: unknown }) | null };

interface KnownUser {
  readonly version: string;
  readonly user: User;
  readonly json: string;
}

const CONNECTIONS = 2;
const MOST_BATCHED = 32;
const EXPIRES_IN_SECONDS = 3600;

/** Everything that waits is sent with the next free connection, as in src/batching. */
class Batches<Result extends Row> {
  readonly #statement;
  readonly #free: pg.Client[];
  #waiting: { values: unknown[]; done: (row: Result | undefined) => void }[] = [];
  #isScheduled = false;

  /** @param free clients that run nothing, shared with other statements */
  constructor(key: string, free: pg.Client[]) {
    this.#statement = statement(key);
    this.#free = free;
  }

  /** @param done receives nothing when the statement returns no row: nothing has changed */
  add(values: unknown[], done: (row: Result | undefined) => void): void {
    this.#waiting.push({ values, done });
    if (this.#isScheduled || this.#free.length === 0) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#free.length > 0 && this.#waiting.length > 0) {
      const client = this.#free.pop()!;
      const batch = this.#waiting.splice(0, MOST_BATCHED);
      const values = batch[0]!.values.map((_, column) => batch.map((job) => job.values[column]));
      const { name, text } = this.#statement;
      client.query<Result>({ name, text, values }, (error, result) => {
        if (error) throw error;
        this.#free.push(client);
        const rows: (Result | undefined)[] = new Array(batch.length);
        for (const row of result.rows) rows[row.batch_position - 1] = row;
        for (let i = 0; i < batch.length; i++) batch[i]!.done(rows[i]);
        this.#flush();
      });
    }
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** As src/db/account-cache.ts, without bounds. */
const users = new Map<string, KnownUser>();
const sessions = new Map<string, { userId: string; claims: string }>();

function rememberUser({ user, identities, version }: News): KnownUser {
  user['password_hash'] = undefined;
  user['identities'] = identities;
  const known = { version, user, json: JSON.stringify(user) };
  users.set(user.id, known);
  return known;
}

function rememberSession(sessionId: string, { news }: RedeemedRow): KnownUser {
  if (news === null) return users.get(sessions.get(sessionId)!.userId)!;
  const known = rememberUser(news);
  const claims = JSON.stringify({ aal: news.aal, amr: news.amr, session_id: sessionId }).slice(1, -1);
  sessions.set(sessionId, { userId: known.user.id, claims });
  return known;
}

/** The body of a refresh grant. Objects built by spreading would make it half as expensive again. */
function renderSession(
  { sessionId, generation }: RefreshToken,
  row: RedeemedRow,
  sign: (payload: string) => string,
  key: KeyObject,
): string {
  const { user, json } = rememberSession(sessionId, row);
  const iat = nowSeconds();
  const exp = iat + EXPIRES_IN_SECONDS;
  const claims = JSON.stringify({
    sub: user.id,
    aud: user['aud'],
    exp,
    iat,
    email: user['email'] ?? '',
    phone: user['phone'] ?? '',
    app_metadata: user['app_metadata'],
    user_metadata: user['user_metadata'],
    role: user['role'],
    is_anonymous: user['is_anonymous'],
  });
  const accessToken = sign(`${claims.slice(0, -1)},${sessions.get(sessionId)!.claims}}`);
  const refreshToken = sealRefreshToken({ sessionId, generation: generation + 1 }, key);
  return (
    `{"access_token":"${accessToken}","token_type":"bearer","expires_in":${EXPIRES_IN_SECONDS},"expires_at":${exp},` +
    `"refresh_token":"${refreshToken}","user":${json}}`
  );
}

function readBearer(request: EngineRequest): string {
  let token = '';
  request.forEach((name, value) => {
    if (name === 'authorization') token = value.slice('Bearer '.length);
  });
  return token;
}

const { config } = loadConfig({ environment: process.env, file: null });
const keys = deriveKeys(config);
const sealingKey = keys.refreshToken.current;
const [accessKeys, refreshKeys] = [openTokenKeys(config).accepted(0), keys.refreshToken.accepted(0)];
const sign = makeJwtSigner(config.jwtSecret, '');
const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client(config.databaseUrl));
await Promise.all(clients.map((client) => client.connect()));
const redeem = new Batches<RedeemedRow>('sessions.redeem_refresh_tokens', clients);
const callers = new Batches<Row & News>('users.callers', clients);
const knownCallers = new Batches<Row>('users.known_callers', clients);
const engine = loadEngine();

function answerUser(request: EngineRequest, done: (body: string) => void): void {
  const { sub, session_id } = verifyAccessToken(readBearer(request), accessKeys, nowSeconds());
  const known = users.get(sub as string);
  const read = () => callers.add([sub, session_id], (row) => done(rememberUser(row!).json));
  if (known === undefined) read();
  else {
    knownCallers.add([sub, session_id, known.version], (change) => (change === undefined ? done(known.json) : read()));
  }
}

function answerRefresh(body: Buffer, done: (body: string) => void): void {
  const { refresh_token } = JSON.parse(body.toString()) as { refresh_token: string };
  redeemToken(openRefreshToken(refresh_token, refreshKeys)!, done);
}

/** The answer to the last token of a load may have been lost; the next load sends that token again. */
function redeemToken(token: RefreshToken, done: (body: string) => void, mayRepeat = true): void {
  const { sessionId, generation } = token;
  const account = users.get(sessions.get(sessionId)?.userId ?? '')?.version;
  // No session of a bench ever gets other facts.
  const version = account === undefined ? null : `${account} 0`;
  redeem.add([sessionId, generation, 'bench', '127.0.0.1', version, null], (row) => {
    if (row !== undefined) done(renderSession(token, row, sign, sealingKey));
    else if (mayRepeat) redeemToken({ sessionId, generation: generation + 1 }, done, false);
    else throw new Error('No row: the bench never uses older tokens.');
  });
}

function answer(response: EngineResponse, request: EngineRequest): void {
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  const done = (body: string): void => {
    if (isAborted) return;
    response.cork(() => {
      response.writeHeader('Content-Type', 'application/json');
      response.end(body);
    });
  };
  const url = request.getUrl();
  if (url.startsWith('/health')) done('{}');
  else if (url === '/user') answerUser(request, done);
  else {
    response.onData((chunk, isLast) => {
      if (!isLast) throw new Error('A body arrived in two chunks, which the bench does not send.');
      answerRefresh(Buffer.from(chunk), done);
    });
  }
}

engine
  .App()
  .any('/*', answer)
  .listen(config.apiHost, config.port, engine.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    if (socket === false) throw new Error(`Cannot listen on port ${config.port}`);
  });
process.on('SIGTERM', () => process.exit(0));
