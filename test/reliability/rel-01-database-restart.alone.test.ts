import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { withAdmin } from '../support/postgres.js';
import { spawnServer } from '../support/process.js';
import { type Answer, call, freshEmail, password } from '../support/server.js';
import { mostlyWaits, t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';

mostlyWaits('for a database that restarts');

const REQUESTS_PER_SECOND = 50;
const CHAINS = 10;
/**
 * Demanded: full service 1 s after the database accepts. A machine busy with other things is slower: there the starting
 * database, the server and this client wait for each other.
 */
const RECOVERY_MS = 3000;

interface Sent {
  readonly what: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly answer: Answer;
}

t.test('REL-01, REL-25: the database is restarted under load, cleanly and by a crash', async (t) => {
  const postgres = await startOwnPostgres(t);
  // A refresh whose answer was 503 may have happened: asking again with the same token is what a client does.
  const server = await spawnServer(t, postgres.url, { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '60' });
  const send = (path: string, body: unknown) => call(server.url, 'POST', path, { body });
  const isReady = async () => (await call(server.url, 'GET', '/health/ready')).status === 200;
  while (!(await isReady())) await pause(50);

  const acknowledged: string[] = [];
  const tokens: string[] = [];
  for (let chain = 0; chain < CHAINS; chain++) {
    const email = freshEmail();
    tokens.push((await send('/signup', { email, password })).body.refresh_token);
    acknowledged.push(email);
  }

  const log: Sent[] = [];
  const busy = new Set<number>();
  async function sendOne(turn: number): Promise<void> {
    const sentMs = performance.now();
    const chain = turn % CHAINS;
    if (turn % 4 === 0 || busy.has(chain)) {
      const email = freshEmail();
      const answer = await send('/signup', { email, password });
      if (answer.status === 200) acknowledged.push(email);
      log.push({ what: 'sign-up', sentMs, answeredMs: performance.now(), answer });
      return;
    }
    busy.add(chain);
    const answer = await send('/token?grant_type=refresh_token', { refresh_token: tokens[chain] });
    if (answer.status === 200) tokens[chain] = answer.body.refresh_token;
    busy.delete(chain);
    log.push({ what: 'refresh', sentMs, answeredMs: performance.now(), answer });
  }

  const running: Promise<void>[] = [];
  let turn = 0;
  const load = setInterval(() => running.push(sendOne(turn++)), 1000 / REQUESTS_PER_SECOND);
  t.teardown(() => clearInterval(load));

  /** Lets the load go on until so many more requests have succeeded. */
  const untilSucceeded = async (more: number): Promise<void> => {
    const from = log.length;
    await until(() => log.slice(from).filter(({ answer }) => answer.status === 200).length >= more);
  };
  const outages: { kind: string; downMs: number; acceptedMs: number }[] = [];
  for (const kind of ['stop', 'crash'] as const) {
    await untilSucceeded(20);
    const downMs = performance.now();
    await postgres[kind]();
    const isRefused = ({ sentMs, answer }: Sent) => sentMs > downMs && answer.status === 503;
    await until(async () => !(await isReady()) && log.filter(isRefused).length > 10);
    t.equal((await call(server.url, 'GET', '/health')).status, 200, 'alive');
    t.match(await call(server.url, 'GET', '/health/ready', { bearer: adminToken() }), {
      status: 503,
      body: { ready: false, database: 'down' },
    });
    await postgres.start();
    outages.push({ kind, downMs, acceptedMs: performance.now() });
    while (!(await isReady())) await pause(20);
    await untilSucceeded(30);
  }
  clearInterval(load);
  await Promise.all(running);

  for (const [index, { kind, downMs, acceptedMs }] of outages.entries()) {
    const untilMs = outages[index + 1]?.downMs ?? Number.POSITIVE_INFINITY;
    // What is in flight when the next outage begins belongs to that one.
    const after = log.filter(({ sentMs, answeredMs }) => sentMs >= acceptedMs && answeredMs < untilMs);
    const lastRefusal = after.findLast(({ answer }) => answer.status !== 200);
    const recoveredMs = lastRefusal === undefined ? 0 : lastRefusal.sentMs - acceptedMs;
    const refused = log.filter(({ sentMs, answer }) => sentMs > downMs && sentMs < untilMs && answer.status === 503);
    t.comment(`${kind}: ${refused.length} refused, full service ${Math.round(recoveredMs)} ms after it accepted`);
    t.ok(refused.length > 10, 'the load met the outage');
    t.ok(recoveredMs < RECOVERY_MS, `${kind}: full service after ${Math.round(recoveredMs)} ms`);
    t.ok(after.filter(({ answer }) => answer.status === 200).length > 20, 'and it was asked');
  }
  for (const { what, answer } of log) if (answer.status !== 200) assertUnavailable(t, answer, what);

  const found = await withAdmin(postgres.url, (admin) =>
    admin.query('select email from users where email = any($1)', [acknowledged]),
  );
  t.equal(found.rows.length, acknowledged.length, `all ${acknowledged.length} acknowledged sign-ups are there`);
  for (const token of tokens) {
    const answer = await send('/token?grant_type=refresh_token', { refresh_token: token });
    t.equal(answer.status, 200, 'the newest acknowledged token is good');
  }
  t.match(await server.stop(), { code: 0 }, 'the process lived through it');
});
