import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runClosedLoop } from '../../bench/lib/closed-loop.js';
import { statement } from '../../bench/lib/database.js';
import { AnswerReader } from '../../bench/lib/http-connection.js';
import { runOpenLoop } from '../../bench/lib/open-loop.js';
import { pgbenchScript, readPgbench } from '../../bench/lib/pgbench.js';
import { findRefreshToken, renderRequest, requestFor } from '../../bench/lib/requests.js';
import { openTokenMint } from '../../bench/lib/tokens.js';
import { type Test, t } from '../support/tap.js';

const account = { email: 'a@example.com', accessToken: 'access', refreshToken: 'refresh' };

t.test('answers are separated wherever the packets end', async (t) => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    'HTTP/1.1 503 Busy\r\ncontent-length:0\r\n\r\n',
  ];
  const stream = Buffer.from(answers.join(''));
  for (let size = 1; size <= stream.length; size += 1) {
    const seen: [number, string][] = [];
    const reader = new AnswerReader((status, answer) => seen.push([status, answer.toString()]));
    for (let at = 0; at < stream.length; at += size) {
      const chunk = Buffer.from(stream.subarray(at, at + size));
      reader.push(chunk);
      // The connection reads into one buffer.
      chunk.fill(0);
    }
    t.same(seen, [
      [200, answers[0]],
      [503, answers[1]],
    ]);
  }
});

t.test('the next token of a chain is found in the answer', async (t) => {
  const body = JSON.stringify({ access_token: 'a.b.c', refresh_token: 'AbC-_9', user: { id: 'x' } });
  t.equal(findRefreshToken(Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${body}`)), 'AbC-_9');
  t.equal(findRefreshToken(Buffer.from('{"code":503}')), undefined);
});

t.test('every kind of traffic sends the request of its name', async (t) => {
  t.match(requestFor('user', account, ''), {
    method: 'GET',
    path: '/user',
    headers: { authorization: 'Bearer access' },
  });
  t.equal(requestFor('refresh', account, '').body, '{"refresh_token":"refresh"}');
  t.match(requestFor('signup', account, 'new@example.com'), { path: '/signup', body: /new@example\.com/ });
});

t.test('a request goes out as HTTP/1.1', async (t) => {
  t.equal(
    renderRequest(requestFor('refresh', account, ''), '127.0.0.1:80').toString(),
    'POST /token?grant_type=refresh_token HTTP/1.1\r\nHost: 127.0.0.1:80\r\ncontent-type: application/json\r\n' +
      'content-length: 27\r\n\r\n{"refresh_token":"refresh"}',
  );
  t.equal(
    renderRequest(requestFor('user', account, ''), 'a:1').toString(),
    'GET /user HTTP/1.1\r\nHost: a:1\r\nauthorization: Bearer access\r\n\r\n',
  );
});

t.test('tokens are read as the server seals them', async (t) => {
  const mint = openTokenMint({ databaseUrl: 'postgres://a@b/c' });
  const session = { session_id: randomUUID(), user_id: randomUUID(), email: 'a@example.com', created_at: '' };
  for (const generation of [0, 127, 128, 300_000]) {
    const { refreshToken } = mint.accountOf(session, generation);
    t.same(mint.openRefreshToken(refreshToken), { sessionId: session.session_id, generation });
  }
  t.throws(() => mint.openRefreshToken('forged'), /would not accept/);
});

/** Accepts each refresh token once, as the server does, and answers 503 to passwords. */
async function startTokenServer(t: Pick<Test, 'teardown'>): Promise<{ url: string; used: string[] }> {
  const used: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      const { refresh_token } = JSON.parse(chunk.toString()) as Record<string, string>;
      const isGood = refresh_token !== undefined && !used.includes(refresh_token);
      if (isGood) used.push(refresh_token);
      const body = isGood ? JSON.stringify({ refresh_token: `${refresh_token}+` }) : '{}';
      response.writeHead(isGood ? 200 : 503, { 'content-length': body.length }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, used };
}

t.test('a closed loop chains the tokens of each connection and ends with the current ones', async (t) => {
  const { url, used } = await startTokenServer(t);
  const accounts = ['a', 'b'].map((refreshToken) => ({ ...account, refreshToken }));
  const job = { url, accounts, traffic: 'refresh', mostRequests: 20, warmUpSeconds: 0, seconds: 0 } as const;
  const result = await runClosedLoop(job);
  t.match(result, { statuses: { 200: 20 } });
  t.equal(used.length, 20);
  t.same(
    result.accounts.map(({ refreshToken }) => used.includes(refreshToken)),
    [false, false],
  );
  t.same((await runClosedLoop({ ...job, accounts: result.accounts })).statuses, { 200: 20 });
});

t.test('a closed loop takes the accounts in turn, and counts answers other than 2xx', async (t) => {
  const { url, used } = await startTokenServer(t);
  const accounts = ['a', 'b', 'c'].map((refreshToken) => ({ ...account, refreshToken }));
  const job = { url, accounts, connections: 1, mostRequests: 6, warmUpSeconds: 0, seconds: 0 } as const;
  await runClosedLoop({ ...job, traffic: 'refresh' });
  t.same(used, ['a', 'b', 'c', 'a+', 'b+', 'c+']);
  t.match(await runClosedLoop({ ...job, traffic: 'password' }), { statuses: { 503: 6 }, requestsPerSecond: 0 });
});

t.test('a closed loop counts what its window sees', async (t) => {
  const { url, used } = await startTokenServer(t);
  const job = { url, accounts: [account], traffic: 'refresh', warmUpSeconds: 0.2, seconds: 0.2 } as const;
  const { statuses, p50Ms, p99Ms, cpuMicroseconds } = await runClosedLoop(job);
  t.ok(statuses[200]! > 0 && statuses[200]! < used.length - 1, `${statuses[200]} of ${used.length}`);
  t.ok(p50Ms > 0 && p99Ms >= p50Ms && cpuMicroseconds.generator! > 0);
});

t.test('an open loop sends at its rate, whatever the answers, and reports the tokens it received', async (t) => {
  const { url, used } = await startTokenServer(t);
  const job = { url, accounts: [account], requestsPerSecond: 100, warmUpSeconds: 0.1, seconds: 0.5 };
  const refreshes = await runOpenLoop({ ...job, traffic: 'refresh' });
  t.same(refreshes.acknowledged.length, used.length);
  const passwords = await runOpenLoop({ ...job, traffic: 'password' });
  t.match(passwords, { requestsPerSecond: 0, acknowledged: [] });
  t.same(Object.keys(passwords.statuses), ['503']);
  t.ok(passwords.offeredPerSecond > 50 && passwords.offeredPerSecond < 150, `${passwords.offeredPerSecond}/s`);
});

t.test('a request without an answer is an error', async (t) => {
  const { url } = await startTokenServer(t);
  const job = { url: url.replace(/\d+$/, '1'), accounts: [account], warmUpSeconds: 0.1, seconds: 0.2 };
  await t.rejects(runClosedLoop({ ...job, traffic: 'user', mostRequests: 1 }), { message: /had no answer/ });
  await t.rejects(runClosedLoop({ ...job, traffic: 'user' }), { message: /had no answer/ });
  t.match((await runOpenLoop({ ...job, traffic: 'user', requestsPerSecond: 50 })).statuses, { error: Number });
});

t.test('pgbench runs the statement of the server', async (t) => {
  const words = (sql: string) =>
    sql.replace(
      /\$\d+|:session_id|:user_id|:session_version|:version|:generation|'bench'|'127\.0\.0\.1'|\bnull\b|\bfalse\b/g,
      '?',
    );
  for (const key of ['sessions.redeem_refresh_token', 'users.known_caller'] as const) {
    const script = pgbenchScript(key);
    t.notMatch(script, /\$\d/);
    t.match(words(script), words(statement(key).text), key);
  }
  t.match(
    pgbenchScript('sessions.redeem_refresh_token'),
    'where /*s*/ s.id = :session_id and s.generation = :generation and s.revoked_at is null',
  );
});

t.test('the summary of pgbench', async (t) => {
  const summary =
    'number of transactions actually processed: 1234\nnumber of failed transactions: 0 (0.000%)\nlatency average = 0.9 ms\ntps = 617.25 (without initial connection time)\n';
  t.same(readPgbench(summary), { requestsPerSecond: 617.25, count: 1234 });
  t.throws(() => readPgbench('connection refused'), /connection refused/);
});

t.test('the reference takes six round trips', async (t) => {
  const steps = ['begin', 'session', 'user', 'rotate', 'identities', 'commit'];
  for (const step of steps) t.ok(statement(`six-round-trips.${step}`).text);
});
