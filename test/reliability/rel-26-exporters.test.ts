import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createTestDatabase } from '../support/database.js';
import { keepConnection } from '../support/keep-alive.js';
import { spawnServer } from '../support/process.js';
import { quantile } from '../support/statistics.js';
import { type Test, t } from '../support/tap.js';

const WARNING = 'do not reach the collector';
/**
 * One that hangs: more spans than the queue holds (2048). One that is down empties the queue, for each export fails at once; so
 * fewer requests show the same.
 */
const REQUESTS = { down: 900, hanging: 2600 };

/** A port that accepts connections and never answers. */
async function openHangingCollector(t: Test): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openBareServer(t: Test): Promise<string> {
  const server = createHttpServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends requests, ten at a time. @returns how many milliseconds each took */
async function measure(t: Test, url: string, requests: number): Promise<number[]> {
  const times: number[] = [];
  const connections = await Promise.all(Array.from({ length: 10 }, () => keepConnection(Number(new URL(url).port))));
  for (let i = 0; i < requests; i += 10) {
    await Promise.all(
      connections.map(async (connection) => {
        const begun = performance.now();
        const { status } = await connection.send('GET', '/settings');
        if (status !== 200) t.fail(`answered ${status}`);
        times.push(performance.now() - begun);
      }),
    );
  }
  for (const connection of connections) connection.close();
  return times;
}

for (const kind of ['down', 'hanging'] as const) {
  t.test(`REL-26 a collector that is ${kind} neither fails nor delays requests, nor the end`, async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const endpoint = kind === 'down' ? 'http://127.0.0.1:9' : await openHangingCollector(t);
    const server = await spawnServer(t, databaseUrl, {
      TRACING_ENABLED: 'true',
      METRICS_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    const requests = REQUESTS[kind];
    const times = await measure(t, server.url, requests);
    t.equal(times.length, requests);
    // In the end, with the queue full. Other load slows some of the parts, a collector that delays requests slows all.
    const parts = [0, 1, 2, 3].map((part) => times.slice(requests - 200 * (part + 1)).slice(0, 200));
    const p99 = Math.min(...parts.map((part) => quantile(part, 0.99)));
    // What the client and the machine take of it.
    const bareP99 = quantile(await measure(t, await openBareServer(t), 200), 0.99);
    t.ok(p99 < 250 + 5 * bareP99, `p99 is ${p99.toFixed(1)} ms, of a bare server ${bareP99.toFixed(1)} ms`);
    t.same(await server.stop(), { code: 0, signal: null });
    t.notOk(
      server.lines.some((line) => line.includes('leaving behind')),
      'it ends in time (REL-15)',
    );
    const warnings = server.lines.filter((line) => line.includes(WARNING));
    t.ok(warnings.length <= 1, 'one warning at most');
    if (kind === 'down') t.match(warnings[0], /"reason":"[^"]+"/);
  });
}
