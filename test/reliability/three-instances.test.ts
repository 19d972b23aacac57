/** Three processes on one database behind a balancer: one is killed, one is rolled, and clients only ever try again. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { startBalancer } from '../support/balancer.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { pickForm } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { findProxy, proxyKinds, startProxy } from '../support/proxies.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('three processes under load, one killed and one rolled; one process: rel-14-kill, rel-15-sigterm');

const CLIENTS = 8;
/** Between the turns of a client: the rest is for what the clients are to survive. */
const TURN_MS = 50;
/** Requests before and after each event; of them a third are refreshes of eight clients. */
const ENOUGH = pickForm({ short: 120, full: 400, long: 1000 });
const haproxy = proxyKinds.find(({ name }) => name === 'HAProxy')!;
/** What auth-js calls a retryable error: no answer at all, or one of these. */
const RETRYABLE = new Set([0, 502, 503, 504]);

interface Answer {
  /** 0: none came. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what is inside.
  readonly body: any;
}

t.test('three instances: one killed, one rolled, and no retried request fails', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const ports = [await freePort(), await freePort(), await freePort()];
  const start = (index: number): Promise<ServerProcess> =>
    spawnServer(t, databaseUrl, {
      API_PORT: String(ports[index]),
      DB_MAX_POOL_SIZE: '4',
      RATE_LIMIT_HEADER: 'X-Real-IP',
      RATE_LIMIT_OTP: '30',
      RATE_LIMIT_TOKEN_REFRESH: '1000000',
    });
  const servers = await Promise.all(ports.map((_, index) => start(index)));
  const { program, missing } = findProxy(haproxy);
  if (program === undefined) t.comment(`behind a balancer of the test's own: ${missing}`);
  const port =
    program === undefined
      ? await startBalancer(t, ports)
      : await startProxy(
          t,
          haproxy,
          program,
          ports.map((port) => `127.0.0.1:${port}`),
        );
  const send = makeSender(program === undefined ? http : https, port);
  while ((await send('GET', '/settings')).status !== 200) await pause(50);

  const seen = new Map<string, number>();
  let mostTriesWhileRolled = 0;
  let phase = 'warm';
  let isOver = false;
  const count = (status: number): void => {
    const key = `${phase} ${status}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  };
  /** As auth-js does with a refresh: again after 200, 400, 800 … ms while there is no answer. */
  async function persist(method: string, path: string, body?: unknown, bearer?: string): Promise<Answer> {
    let triesWhileRolled = 0;
    for (let waitMs = 200; ; waitMs *= 2) {
      const answer = await send(method, path, body, bearer);
      count(answer.status);
      triesWhileRolled += phase === 'roll' ? 1 : 0;
      mostTriesWhileRolled = Math.max(mostTriesWhileRolled, triesWhileRolled);
      if (!RETRYABLE.has(answer.status) || waitMs > 5000) return answer;
      await pause(waitMs);
    }
  }

  const emails = Array.from({ length: CLIENTS }, freshEmail);
  const clients = emails.map(async (email) => {
    const signedUp = await persist('POST', '/signup', { email, password });
    t.equal(signedUp.status, 200);
    let { refresh_token: refreshToken, access_token: bearer } = signedUp.body;
    const chain = [refreshToken];
    for (let turn = 1; !isOver; turn++) {
      const refreshed = await persist('POST', '/token?grant_type=refresh_token', { refresh_token: refreshToken });
      if (refreshed.status !== 200) t.fail(`refresh: ${refreshed.status} ${JSON.stringify(refreshed.body)}`);
      ({ refresh_token: refreshToken, access_token: bearer } = refreshed.body);
      chain.push(refreshToken);
      const read = await persist('GET', '/user', undefined, bearer);
      if (read.status !== 200) t.fail(`user: ${read.status} ${JSON.stringify(read.body)}`);
      if (turn % 10 === 0) {
        const signedIn = await persist('POST', '/token?grant_type=password', { email, password });
        if (signedIn.status !== 200) t.fail(`sign-in: ${signedIn.status} ${JSON.stringify(signedIn.body)}`);
      }
      await pause(TURN_MS);
    }
    t.equal(new Set(chain).size, chain.length, 'every refresh gave a new token');
    return chain;
  });

  /** Lets the clients go on until that many more requests have succeeded. */
  const untilServed = async (more: number): Promise<void> => {
    const sum = () => [...seen].reduce((all, [key, times]) => all + (key.endsWith(' 200') ? times : 0), 0);
    const wanted = sum() + more;
    await until(() => sum() >= wanted);
  };
  const refreshesOf = ({ lines }: ServerProcess) =>
    lines.filter((line) => line.includes('"route":"/token"') && line.includes('"status":200')).length;
  await untilServed(ENOUGH);
  phase = 'kill';
  t.match(await servers[0]!.stop('SIGKILL'), { signal: 'SIGKILL' });
  await untilServed(ENOUGH);
  servers.push(await start(0));
  await untilServed(ENOUGH);
  phase = 'roll';
  t.match(await servers[1]!.stop('SIGTERM'), { code: 0 });
  await untilServed(ENOUGH / 4);
  servers.push(await start(1));
  await untilServed(ENOUGH);
  // The balancer gives the new ones work once it has noticed them.
  await until(() => servers.slice(-2).every((server) => refreshesOf(server) > 0));
  isOver = true;
  const chains = await Promise.all(clients);

  const report = [...seen].map(([key, times]) => `${key}: ${times}`).sort();
  t.comment(report.join(', '));
  const again = [...seen].filter(([key]) => key.startsWith('roll ') && !key.endsWith(' 200'));
  t.ok(
    again.every(([key]) => RETRYABLE.has(Number(key.split(' ')[1]))),
    'nothing a client gives up on',
  );
  // Connections in the backlog of the closed port are reset; a balancer that may not repeat a POST answers 502. How many there
  // are depends on the load, and on how soon the balancer notices: no client of ours gives up before its sixth try.
  t.comment(`while one was rolled a request was sent ${mostTriesWhileRolled} times at most`);
  t.ok(
    chains.every(({ length }) => length > 20),
    'the load was real',
  );
  for (const [index, server] of servers.entries()) {
    t.ok(refreshesOf(server) > 0, `server ${index} has refreshed tokens: rotation crosses processes`);
  }

  const recoveries = await Promise.all(
    Array.from({ length: 60 }, () => send('POST', '/recover', { email: freshEmail() })),
  );
  const passed = recoveries.filter(({ status }) => status === 200).length;
  // The bucket refills by one every ten seconds (30 in five minutes).
  t.ok(passed >= 30 && passed <= 31, `of 60 requests ${passed} passed a limit of 30, whichever process they met`);
  t.equal(recoveries.filter(({ status }) => status === 429).length, 60 - passed);

  const chain = chains[0]!;
  const reuse = await call(`http://127.0.0.1:${ports[2]}`, 'POST', '/token?grant_type=refresh_token', {
    body: { refresh_token: chain[0] },
  });
  t.match(reuse, { status: 400, body: { error_code: 'refresh_token_already_used' } }, 'any of them detects reuse');
  const newest = await send('POST', '/token?grant_type=refresh_token', { refresh_token: chain.at(-1) });
  t.equal(newest.status, 400, 'and ends the family for all');
});

function makeSender(protocol: typeof http | typeof https, port: number) {
  const agent = new protocol.Agent({ keepAlive: true, maxSockets: CLIENTS });
  t.teardown(() => agent.destroy());
  return (method: string, path: string, body?: unknown, bearer?: string): Promise<Answer> =>
    new Promise((resolve) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const request = protocol.request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        rejectUnauthorized: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
      });
      request.on('error', () => resolve({ status: 0, body: undefined }));
      request.on('response', (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('error', () => resolve({ status: 0, body: undefined }));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: answer.startsWith('{') ? JSON.parse(answer) : undefined });
        });
      });
      request.end(text);
    });
}
