/**
 * A server with nothing around the answers: it parses, checks the token's signature, asks the database with the server's
 * own statements, telling it which accounts it knows, signs, writes JSON. No rules, limits, logs, time-outs, checks of
 * input, threads or way to stop. What it needs for an answer, a server of this engine and this driver needs on this
 * machine.
 */
import pg from 'pg';
import type { HmacSha256 } from '../../src/hmac-sha256.js';
import { verifyAccessToken } from '../../src/server/accounts/access-token.js';
import { deriveKeys } from '../../src/server/accounts/keys.js';
import { openRefreshToken, type RefreshToken, sealRefreshToken } from '../../src/server/accounts/refresh-token.js';
import { type EngineResponse, loadEngine } from '../../src/server/http/engine.js';
import { makeJwtSigner } from '../../src/workers/tasks/jwt.js';
import { serveJobs } from './processes.js';
import { statement } from './statements.js';

export interface BareJob {
  readonly databaseUrl: string;
  readonly jwtSecret: string;
}

export interface BareServer {
  readonly port: number;
}

type User = Record<string, unknown> & { id: string };
type Told = { version: string; user: User; identities: unknown };
type Change = { batch_position: number };
type Caller = Change & Told;
type Redeemed = Change & { news: (Told & { aal: string; amr: unknown }) | null };
/** Gets nothing when the statement has nothing to say: all is as it was known. */
type Taker<Row> = (row: Row | undefined) => void;

/** An account as it was last read, and as it is shown. */
interface Known {
  readonly version: string;
  readonly user: User;
  readonly json: string;
}

const MOST_BATCHED = 32;
const EXPIRES_IN_SECONDS = 3600;

/** Whatever waits goes with the next free connection, as in the server (src/batching). */
class Batches<Row extends Change> {
  readonly #statement;
  #waiting: { values: unknown[]; take: Taker<Row> }[] = [];
  #isPlanned = false;

  constructor(
    key: string,
    private readonly free: pg.Client[],
  ) {
    this.#statement = statement(key);
  }

  add(values: unknown[], take: Taker<Row>): void {
    this.#waiting.push({ values, take });
    if (this.#isPlanned || this.free.length === 0) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.free.length > 0 && this.#waiting.length > 0) {
      const client = this.free.pop()!;
      const batch = this.#waiting.splice(0, MOST_BATCHED);
      const values = batch[0]!.values.map((_, column) => batch.map((job) => job.values[column]));
      const { name, text } = this.#statement;
      client.query<Row>({ name, text, values }, (error, result) => {
        if (error) throw error;
        this.free.push(client);
        const rows: (Row | undefined)[] = new Array(batch.length);
        for (const row of result.rows) rows[row.batch_position - 1] = row;
        for (let i = 0; i < batch.length; i++) batch[i]!.take(rows[i]);
        this.#flush();
      });
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Accounts by id, and sessions by theirs; as the server does (src/db/known-accounts.ts), but never forgets one. */
const accounts = new Map<string, Known>();
const sessions = new Map<string, { userId: string; claims: string }>();

function rememberAccount({ user, identities, version }: Told): Known {
  user['password_hash'] = undefined;
  user['identities'] = identities;
  const known = { version, user, json: JSON.stringify(user) };
  accounts.set(user.id, known);
  return known;
}

function rememberSession(sessionId: string, { news }: Redeemed): Known {
  if (news === null) return accounts.get(sessions.get(sessionId)!.userId)!;
  const known = rememberAccount(news);
  const claims = JSON.stringify({ aal: news.aal, amr: news.amr, session_id: sessionId }).slice(1, -1);
  sessions.set(sessionId, { userId: known.user.id, claims });
  return known;
}

/** Every member by hand: with spread objects the whole answer costs half as much again. */
function sessionOf(
  { sessionId, generation }: RefreshToken,
  row: Redeemed,
  sign: (payload: string) => string,
  mac: HmacSha256,
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
  const refreshToken = sealRefreshToken({ sessionId, generation: generation + 1 }, mac);
  return (
    `{"access_token":"${accessToken}","token_type":"bearer","expires_in":${EXPIRES_IN_SECONDS},"expires_at":${exp},` +
    `"refresh_token":"${refreshToken}","user":${json}}`
  );
}

function answer(response: EngineResponse, body: string): void {
  response.cork(() => {
    response.writeHeader('Content-Type', 'application/json');
    response.end(body);
  });
}

serveJobs<BareJob, BareServer>(async ({ databaseUrl, jwtSecret }) => {
  const keys = deriveKeys({ jwtSecret, jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null });
  const sealingKey = keys.refreshToken.current;
  const [accessMacs, refreshMacs] = [keys.accessToken.accepted(0), keys.refreshToken.accepted(0)];
  const sign = makeJwtSigner(jwtSecret, '');
  const clients = [await connect(databaseUrl), await connect(databaseUrl)];
  const redeem = new Batches<Redeemed>('sessions.redeem_refresh_tokens', clients);
  const callers = new Batches<Caller>('users.callers', clients);
  const knownCallers = new Batches<Change>('users.known_callers', clients);
  const engine = loadEngine();
  const app = engine.App().any('/*', (response, request) => {
    let isAborted = false;
    response.onAborted(() => {
      isAborted = true;
    });
    const done = (body: string): void => {
      if (!isAborted) answer(response, body);
    };
    switch (request.getUrl()) {
      case '/health':
        return done('{}');
      case '/user': {
        const { sub, session_id } = verifyAccessToken(bearerOf(request), accessMacs, nowSeconds());
        const known = accounts.get(sub as string);
        const ask = (): void => callers.add([sub, session_id], (row) => done(rememberAccount(row!).json));
        if (known === undefined) return ask();
        return knownCallers.add([sub, session_id, known.version], (change) =>
          change === undefined ? done(known.json) : ask(),
        );
      }
      default:
        response.onData((chunk, isLast) => {
          if (!isLast) throw new Error('A body came in two pieces, which the bench does not send.');
          const body = JSON.parse(Buffer.from(chunk).toString()) as { refresh_token: string };
          const token = openRefreshToken(body.refresh_token, refreshMacs)!;
          const { sessionId, generation } = token;
          const known = accounts.get(sessions.get(sessionId)?.userId ?? '');
          const values = [sessionId, generation, 'bench', '127.0.0.1', null, null, null, known?.version ?? null];
          redeem.add(values, (row) => {
            if (row === undefined) throw new Error('No row: the bench never uses a token twice.');
            done(sessionOf(token, row, sign, sealingKey));
          });
        });
    }
  });
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, engine.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket === false) reject(new Error('Cannot listen'));
      else resolve({ port: engine.us_socket_local_port(socket) });
    });
  });
});

function bearerOf(request: { forEach(visit: (name: string, value: string) => void): void }): string {
  let token = '';
  request.forEach((name, value) => {
    if (name === 'authorization') token = value.slice('Bearer '.length);
  });
  return token;
}
