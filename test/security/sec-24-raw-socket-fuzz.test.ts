import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readAnswerStream, type StreamReading } from '../support/answer-stream.js';
import { createTestDatabase } from '../support/database.js';
import { chooseSeed, openRandom, pickForm, reportProgress } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { type BentTraffic, bendTraffic } from '../support/raw-mutations.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { residentMiB } from '../support/resident.js';
import { call, freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const SECONDS = pickForm({ short: 2, full: 10, long: 75 });
const LANES = 12;
/** A connection that is silent for so long has sent its whole response. */
const QUIET_MS = 15;
const GROWTH_LIMIT_MIB = 30;

/** One valid request of each kind. */
async function validRequests(server: ServerProcess): Promise<string[]> {
  const body = { email: freshEmail(), password: 'correct horse battery' };
  const { body: session } = await call(server.url, 'POST', '/signup', { body });
  const bearer = `Authorization: Bearer ${session.access_token}`;
  const json = ['Content-Type: application/json'];
  const chunked = (text: string): string =>
    `POST /signup HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  return [
    requestText('GET', '/health'),
    requestText('HEAD', '/settings'),
    requestText('GET', '/user', { headers: [bearer, 'Cookie: a=b; c=d'] }),
    requestText('PUT', '/user', {
      headers: [bearer, ...json],
      body: '{"data":{"name":"Ada","deep":{"list":[1,2,null]}}}',
    }),
    requestText('POST', '/token?grant_type=password', { headers: json, body: JSON.stringify(body) }),
    requestText('POST', '/token?grant_type=refresh_token', {
      headers: json,
      body: JSON.stringify({ refresh_token: session.refresh_token }),
    }),
    requestText('POST', '/recover', { headers: json, body: JSON.stringify({ email: body.email }) }),
    requestText('POST', '/verify', {
      headers: json,
      body: '{"type":"signup","email":"a@example.com","token":"123456"}',
    }),
    requestText('GET', '/verify?type=signup&token=abcdef&redirect_to=http%3A%2F%2Flocalhost%3A3000%2Fa%3Fb'),
    requestText('GET', '/authorize?provider=github&redirect_to=http://localhost:3000&scopes=a%20b'),
    requestText('POST', '/callback', {
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: 'state=abc&code=d+e%20f&user=%7B%22name%22%3A1%7D',
    }),
    requestText('GET', '/admin/users/6b0a3b1e-6b0a-4b1e-8b0a-3b1e6b0a3b1e', { headers: [bearer] }),
    requestText('OPTIONS', '/token', {
      headers: [
        'Origin: https://app.test',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: apikey',
      ],
    }),
    requestText('POST', '/logout?scope=others', { headers: [bearer], body: '' }),
    requestText('POST', '/otp', { headers: ['Expect: 100-continue', ...json], body: '{"email":"b@example.com"}' }),
    chunked(JSON.stringify({ email: freshEmail(), password: 'x'.repeat(10) })),
  ];
}

/** Sends it all. @returns what came back until the server closed or fell silent, and how far it can be read */
async function exchange(port: number, { pieces, endsAtOnce }: BentTraffic): Promise<StreamReading & { text: string }> {
  const mayOmitBodies = pieces.join('').includes('HEAD');
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let [text, isClosed, lastMs] = ['', false, performance.now()];
  const read = (): StreamReading => readAnswerStream(text, isClosed, mayOmitBodies);
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    lastMs = performance.now();
  });
  // A reset is a close: the server discards the rest of the request.
  socket.on('error', () => undefined);
  for (const event of ['end', 'close'] as const) {
    socket.on(event, () => {
      isClosed = true;
    });
  }
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => socket.write(Buffer.from(piece, 'latin1'), () => resolve()));
    await pause(0);
  }
  if (endsAtOnce) socket.end();
  lastMs = performance.now();
  // What has begun must be finished in its time; what has not may be waiting for the rest of a request.
  while (!isClosed && performance.now() - lastMs < (read().state === 'cut' ? 5000 : QUIET_MS)) await pause(2);
  const reading = read();
  socket.destroy();
  return { ...reading, text };
}

/** @returns what is wrong with an exchange, or undefined */
function findFault(reading: StreamReading): string | undefined {
  if (reading.state === 'wrong') return reading.why;
  if (reading.state === 'cut') return 'an answer without its end';
  for (const { status, headers, body } of reading.answers) {
    // 503 is the documented status for overload, 505 the engine's for HTTP/1.0.
    if (status >= 500 && status !== 503 && status !== 505) return `${status} ${body}`;
    if (body !== '' && headers.get('content-type')?.startsWith('application/json')) {
      try {
        JSON.parse(body);
      } catch {
        return `no JSON: ${body}`;
      }
    }
  }
  return undefined;
}

t.test(
  `SEC-24: ${SECONDS} s of mutated requests: no exit, ${GROWTH_LIMIT_MIB} MiB at most, every answer is HTTP, and health works right after`,
  { timeout: (SECONDS + 60) * 1000 },
  async (t) => {
    const seed = chooseSeed(t);
    const { url } = await createTestDatabase(t);
    const server = await spawnServer(t, url);
    while ((await call(server.url, 'GET', '/health/ready')).status !== 200) await pause(50);
    const requests = await validRequests(server);
    let [next, answers, silent] = [0, 0, 0];
    const faults: string[] = [];
    const statuses = new Map<number, number>();

    const runLane = async (until: number): Promise<void> => {
      while (performance.now() < until && faults.length < 5) {
        const number = next++;
        const traffic = bendTraffic(requests, openRandom(seed, number));
        const reading = await exchange(server.port, traffic);
        const fault = findFault(reading);
        if (fault !== undefined)
          faults.push(`case ${number}: ${fault}\n${JSON.stringify({ ...traffic, got: reading.text })}`);
        if (reading.state === 'whole') {
          answers += reading.answers.length;
          if (reading.answers.length === 0) silent += 1;
          for (const { status } of reading.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        const health = await exchangeRaw(server.port, requestText('GET', '/health'));
        if (health.status !== 200) faults.push(`case ${number}: then /health is ${health.status}`);
      }
    };
    const runLanes = (seconds: number): Promise<unknown> => {
      const until = performance.now() + seconds * 1000;
      return Promise.all(Array.from({ length: LANES }, () => runLane(until)));
    };

    // Code is compiled and the heap finds its size first: what is measured is what the traffic leaves behind.
    await runLanes(SECONDS / 3);
    const before = residentMiB(server.pid);
    let most = 0;
    const watch = setInterval(
      () => {
        most = Math.max(most, residentMiB(server.pid));
        reportProgress(`SEC-24: ${next} cases, ${answers} answers, ${most.toFixed(0)} MiB`);
      },
      pickForm({ short: 500, long: 5000 }),
    );
    t.teardown(() => clearInterval(watch));
    await runLanes(SECONDS).finally(() => clearInterval(watch));

    t.same(faults, []);
    t.comment(
      `${next} cases, ${answers} answers, ${silent} cases without one; ${JSON.stringify(Object.fromEntries(statuses))}`,
    );
    t.comment(`${before.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB`);
    t.ok(most - before < GROWTH_LIMIT_MIB, `${before.toFixed(0)} → ${most.toFixed(0)} MiB`);
    t.ok(answers > 20 * SECONDS && (statuses.get(200) ?? 0) > SECONDS, 'the server was really spoken to');
    t.ok(silent > 0 && (statuses.get(400) ?? 0) > SECONDS, 'and the bytes were really bent');
    t.notOk(
      server.lines.some((line) => line.includes('"level":60')),
      'nothing fatal was logged',
    );
    t.match(await server.stop(), { code: 0 }, 'it lived through it');
  },
);
