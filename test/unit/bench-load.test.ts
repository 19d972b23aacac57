import { randomUUID } from 'node:crypto';
import t from 'tap';
import { AnswerReader } from '../../bench/lib/answer-reader.js';
import { pgbenchScript, readPgbench } from '../../bench/lib/pgbench.js';
import { environmentOf } from '../../bench/lib/servers.js';
import { readRefreshToken } from '../../bench/lib/sigterm.js';
import { statement } from '../../bench/lib/statements.js';
import { findRefreshToken, renderRequest, requestFor } from '../../bench/lib/traffic.js';
import { deriveKeys } from '../../src/server/accounts/keys.js';
import { sealRefreshToken } from '../../src/server/accounts/refresh-token.js';
import { loadConfig } from '../../src/server/config/load.js';

const account = { email: 'a@example.com', accessToken: 'access', refreshToken: 'refresh' };

t.test('answers are cut apart wherever the packets end', async (t) => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    'HTTP/1.1 503 Busy\r\ncontent-length:0\r\n\r\n',
  ];
  const stream = Buffer.from(answers.join(''));
  for (let size = 1; size <= stream.length; size += 1) {
    const seen: [number, string][] = [];
    const reader = new AnswerReader((status, answer) => seen.push([status, answer.toString()]));
    for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
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

t.test('every kind of traffic asks for what it is named after', async (t) => {
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

t.test('the token reader agrees with the server that seals them', async (t) => {
  const environment = environmentOf({ root: '', databaseUrl: 'postgres://a@b/c', cwd: '', logLevel: 'info' }, 0);
  const key = deriveKeys(loadConfig({ environment, file: null }).config).refreshToken.current;
  for (const generation of [0, 127, 128, 300_000]) {
    const token = { sessionId: randomUUID(), generation };
    t.same(readRefreshToken(sealRefreshToken(token, key)), token);
  }
});

t.test('pgbench gets the statement the server runs', async (t) => {
  const words = (sql: string) =>
    sql.replace(/\$\d|:session_id|:user_id|:version|:generation|'bench'|'127\.0\.0\.1'|\bnull\b|\bfalse\b/g, '?');
  for (const key of ['sessions.redeem_refresh_token', 'users.known_caller'] as const) {
    const script = pgbenchScript(key);
    t.notMatch(script, /\$\d/);
    t.match(words(script), words(statement(key).text), key);
  }
  t.match(
    pgbenchScript('sessions.redeem_refresh_token'),
    'where s.id = :session_id and s.generation = :generation and s.revoked_at is null',
  );
});

t.test('the summary of pgbench', async (t) => {
  const summary =
    'number of transactions actually processed: 1234\nnumber of failed transactions: 0 (0.000%)\nlatency average = 0.9 ms\ntps = 617.25 (without initial connection time)\n';
  t.same(readPgbench(summary), { requestsPerSecond: 617.25, count: 1234 });
  t.equal(readPgbench('connection refused'), undefined);
});

t.test('the yardstick takes six round trips', async (t) => {
  const steps = ['begin', 'session', 'user', 'rotate', 'identities', 'commit'];
  for (const step of steps) t.ok(statement(`six-round-trips.${step}`).text);
});
