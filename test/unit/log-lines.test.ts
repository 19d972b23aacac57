import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeCause, edgeLog } from '../../src/server/telemetry/edge-log.js';
import { openLog, quote } from '../../src/server/telemetry/log.js';
import { openSparseLines } from '../../src/server/telemetry/sparse-log.js';
import { CryptoPoolFullError } from '../../src/workers/errors.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const HOSTILE = [
  'plain',
  '',
  'a"b',
  'a\\b',
  'line\nbreak',
  'tab\t',
  '\u0000',
  '\u2028',
  'é語🔑',
  '\ud800',
  '</script>',
];

t.test('quote writes what JSON.stringify writes', async (t) => {
  for (const text of HOSTILE) t.equal(quote(text), JSON.stringify(text));
});

t.test('a line written by hand is the line pino writes', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const log = await openLog({ level: 'info', file: path });
  const levels = ['info', 'warn', 'error'] as const;
  for (const level of levels) {
    log[level]({ component: 'api', status: 200, text: 'a"b' }, 'said');
    log.line(level, `,"component":"api","status":200,"text":${quote('a"b')}`, 'said');
  }
  log.lines('info', [',"n":1', ',"n":2'], 'said');
  log.flush();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  t.equal(lines.length, 8);
  for (const n of [1, 2]) t.match(JSON.parse(lines[5 + n]!), { level: 'info', n, msg: 'said', time: /^\d{4}-/ });
  const withoutTime = (line: string) => line.replace(/"time":"[^"]{24}"/, '"time":""');
  for (const i of [0, 2, 4]) t.equal(withoutTime(lines[i + 1]!), withoutTime(lines[i]!));
  const silent = await openLog({ level: 'error', file: path });
  silent.line('warn', '', 'never written');
  silent.lines('warn', ['', ''], 'never written');
  silent.flush();
  t.notMatch(readFileSync(path, 'utf8'), /never written/);
});

t.test('the time of a line is that of its millisecond, in UTC', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const log = await openLog({ level: 'info', file: path });
  const clock = t.capture(Date, 'now', () => now);
  let now = 0;
  const times = ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.007Z'];
  // Backwards too: a clock may be set.
  for (const time of [...times, '2027-01-01T00:00:00.070Z', times[0]!, '2027-01-01T00:00:59.123Z']) {
    now = Date.parse(time);
    log.line('info', `,"expected":"${time}"`, 'said');
  }
  clock.restore();
  log.flush();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  t.equal(lines.length, 6);
  for (const line of lines) {
    const { time, expected } = JSON.parse(line);
    t.equal(time, expected);
  }
});

t.test('every line of the access log is JSON, for any path', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const log = await openLog({ level: 'info', file: path });
  const entry = {
    requestId: 'id',
    method: 'GET',
    route: null,
    params: {},
    grantType: undefined,
    durationMs: 1.23456,
    remoteAddress: '::1',
    errorCode: undefined,
    cause: undefined,
  };
  for (const text of HOSTILE) edgeLog(log).request({ ...entry, path: text, status: 404, errorCode: 'not_found' });
  edgeLog(log).request({ ...entry, path: '/', status: 500, cause: new Error('a "cause"') });
  log.flush();
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  t.same(
    lines.slice(0, -1).map((line) => line['path']),
    HOSTILE,
  );
  t.match(lines[0], { level: 'warning', component: 'api', route: null, status: 404, duration_ms: 1.235 });
  t.match(lines.at(-1), { level: 'error', error: 'Error: a "cause"', stack: /log-lines/, msg: 'request completed' });
});

t.test('the stack of a fault is logged, and a response has none', async (t) => {
  const fault = new Error('lost', { cause: new TypeError('deeper') });
  t.match(describeCause(fault), { error: 'Error: lost', stack: /log-lines/, cause: { stack: /log-lines/ } });
  t.same(describeCause(new CryptoPoolFullError('The queue is full.', 1)), {
    error: 'CryptoPoolFullError: The queue is full.',
    error_cause_code: 'CRYPTO_POOL_FULL',
  });
});

t.test(
  'requests that are refused in an overload have a line a second and kind, as warning with their number',
  async (t) => {
    const path = join(t.testdir({}), 'latchkey.log');
    const log = await openLog({ level: 'info', file: path });
    const linesOf = () => {
      log.flush();
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const { request, error } = edgeLog(log);
    const entry = {
      requestId: 'a',
      method: 'POST',
      route: '/token',
      params: {},
      path: '/token',
      grantType: 'password',
    };
    const refused = { ...entry, status: 503, durationMs: 1, remoteAddress: '::1', errorCode: 'service_unavailable' };
    const full = new CryptoPoolFullError('The queue is full.', 1);
    for (let n = 0; n < 100; n++) {
      request({ ...refused, requestId: `full-${n}`, cause: full });
      request({ ...refused, requestId: `late-${n}`, errorCode: 'request_timeout', cause: undefined });
      request({ ...refused, requestId: `away-${n}`, cause: new Error('no database') });
      error({ requestId: `gone-${n}`, route: '/token', message: 'A handler failed', cause: full });
    }
    t.match(
      linesOf(),
      [
        { level: 'warning', request_id: 'full-0', status: 503, error: 'CryptoPoolFullError: The queue is full.' },
        { level: 'warning', request_id: 'late-0', error_code: 'request_timeout' },
        { level: 'error', request_id: 'away-0', error: 'Error: no database' },
        { level: 'warning', request_id: 'gone-0', msg: 'A handler failed' },
      ],
      'the first of each kind at once',
    );
    await until(() => linesOf().length === 8);
    const counted = linesOf().slice(4);
    for (const line of counted) t.match(line, { request_id: /-99$/, count: 99 });
    request({ ...refused, status: 500, errorCode: 'unexpected_failure', cause: new Error('a fault') });
    request({ ...refused, status: 500, errorCode: 'unexpected_failure', cause: new Error('a fault') });
    t.equal(linesOf().length, 10, 'each fault has its line');
  },
);

t.test('a kind that has paused is written at once again', async (t) => {
  const lines = openSparseLines(10);
  const written: (number | undefined)[] = [];
  const add = () => lines.add('kind', (count) => written.push(count));
  for (let n = 0; n < 4; n++) add();
  t.same(written, [undefined]);
  await until(() => written.length === 2);
  t.same(written, [undefined, 3]);
  await until(async () => {
    await pause(100);
    add();
    return written.at(-1) === undefined;
  });
});
