/** Two nodes that commit together; the first fails under load and the second takes over (REL-01, REL-02). */
import { setTimeout as pause } from 'node:timers/promises';
import { pickForm } from '../support/long-form.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { withAdmin } from '../support/postgres.js';
import { spawnServer } from '../support/process.js';
import { type Answer, call, freshEmail, password } from '../support/server.js';
import { startSwitchingProxy } from '../support/switching-proxy.js';
import { findSystemPostgres, startPrimary, startStandby } from '../support/system-postgres.js';
import { mostlyWaits, onlyInFull, t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';

onlyInFull(
  'two nodes of Postgres and a proxy, 14 s alone; a database that is killed: rel-01-database-restart; that is silent: rel-06',
);

mostlyWaits('for a database that fails, and for time-outs');

const system = findSystemPostgres();
const REQUESTS_PER_SECOND = 50;
const CHAINS = 10;

interface Outage {
  readonly title: string;
  /** Whether the connections to the failed node end, or stay silent. */
  readonly isSilent: boolean;
  /**
   * Demanded after a crash: full service 1 s after the database accepts (REL-01); three on a busy machine. A silent
   * failure is detected when a statement has had no answer for 3.5 s.
   */
  readonly recoveryMs: number;
}
const outages: readonly Outage[] = [
  { title: 'killed: its connections break', isSilent: false, recoveryMs: 3000 },
  { title: 'without power: its connections are silent', isSilent: true, recoveryMs: 4500 },
];

/** Session and generation of a refresh token (docs/decisions.md, Refresh tokens). */
function readToken(token: string): { sessionId: string; generation: number } {
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.toString('hex', 1, 17);
  let [generation, shift] = [0, 0];
  for (let at = 17; ; at++, shift += 7) {
    generation |= (bytes[at]! & 0x7f) << shift;
    if (bytes[at]! < 0x80) break;
  }
  return { sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), generation };
}

// Connections that break are met by rel-01-database-restart, too.
for (const { title, isSilent, recoveryMs } of pickForm({ short: outages.slice(1), full: outages })) {
  t.test(`REL-01: fail-over to a synchronous standby, the primary ${title}`, async (t) => {
    if (system === undefined) return skipHere(t, missingProgram('Postgres with pg_basebackup', 'postgresql'));
    const primary = await startPrimary(t, system);
    const standby = await startStandby(t, system, primary.url);
    await withAdmin(primary.url, async (admin) => {
      await admin.query("alter system set synchronous_standby_names = '*'");
      await admin.query('select pg_reload_conf()');
      const isTogether = async (): Promise<boolean> =>
        (await admin.query("select from pg_stat_replication where sync_state = 'sync'")).rowCount === 1;
      while (!(await isTogether())) await pause(50);
    });
    const proxy = await startSwitchingProxy(t, primary.url);
    // A refresh whose answer was 503 may have happened: asking again with the same token is what a client does.
    const server = await spawnServer(t, proxy.url, { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '60' });
    const send = (path: string, body: unknown): Promise<Answer> => call(server.url, 'POST', path, { body });
    const isReady = async (): Promise<boolean> => (await call(server.url, 'GET', '/health/ready')).status === 200;
    while (!(await isReady())) await pause(50);

    const acknowledged: string[] = [];
    const tokens: string[] = [];
    for (let chain = 0; chain < CHAINS; chain++) {
      const email = freshEmail();
      tokens.push((await send('/signup', { email, password })).body.refresh_token);
      acknowledged.push(email);
    }
    const log: { sentMs: number; answer: Answer }[] = [];
    const busy = new Set<number>();
    async function sendOne(turn: number): Promise<void> {
      const sentMs = performance.now();
      const chain = turn % CHAINS;
      if (turn % 4 === 0 || busy.has(chain)) {
        const email = freshEmail();
        const answer = await send('/signup', { email, password });
        if (answer.status === 200) acknowledged.push(email);
        log.push({ sentMs, answer });
        return;
      }
      busy.add(chain);
      const answer = await send('/token?grant_type=refresh_token', { refresh_token: tokens[chain] });
      if (answer.status === 200) tokens[chain] = answer.body.refresh_token;
      busy.delete(chain);
      log.push({ sentMs, answer });
    }
    const running: Promise<void>[] = [];
    let turn = 0;
    const load = setInterval(() => running.push(sendOne(turn++)), 1000 / REQUESTS_PER_SECOND);
    t.teardown(() => clearInterval(load));

    await pause(1500);
    const before = log.filter(({ answer }) => answer.status === 200).length;
    const downMs = performance.now();
    if (isSilent) proxy.blackHole();
    await primary.crash();
    await pause(500);
    await withAdmin(standby.url, (admin) => admin.query('select pg_promote()'));
    proxy.pointTo(standby.url);
    const acceptedMs = performance.now();
    while (!(await isReady())) await pause(20);
    // Long enough to see errors after the allowed time.
    await pause(recoveryMs + 1000 - (performance.now() - acceptedMs));
    clearInterval(load);
    await Promise.all(running);

    const refused = log.filter(({ answer }) => answer.status !== 200);
    const lastRefused = Math.max(...refused.map(({ sentMs }) => sentMs)) - acceptedMs;
    t.comment(
      `${log.length} requests, ${refused.length} refused; promoted after ${Math.round(acceptedMs - downMs)} ms, ` +
        `the last refused was sent ${Math.round(lastRefused)} ms after that`,
    );
    t.ok(before > 30, 'the load was real');
    t.ok(refused.length > 5, 'and met the outage');
    for (const { answer } of refused) assertUnavailable(t, answer, 'refused in the meantime');
    t.ok(lastRefused < recoveryMs, `full service after ${Math.round(lastRefused)} ms`);
    t.ok(log.filter(({ sentMs, answer }) => sentMs > acceptedMs && answer.status === 200).length > 50);

    await withAdmin(standby.url, async (admin) => {
      const found = await admin.query('select email from users where email = any($1)', [acknowledged]);
      t.equal(found.rows.length, acknowledged.length, `all ${acknowledged.length} acknowledged sign-ups are there`);
      for (const token of tokens) {
        const { sessionId, generation } = readToken(token);
        const { rows } = await admin.query('select generation from sessions where id = $1', [sessionId]);
        t.ok(Number(rows[0]?.generation) >= generation, `refresh ${generation} of a session was not lost`);
      }
    });
    for (const token of tokens) {
      const answer = await send('/token?grant_type=refresh_token', { refresh_token: token });
      t.equal(answer.status, 200, 'the newest acknowledged token is good');
    }
    t.match(await server.stop(), { code: 0 }, 'the process lived through it');
  });
}
