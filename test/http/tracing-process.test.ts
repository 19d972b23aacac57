/** What a process sends of spans and metrics as it starts and ends. */
import { openCollector } from '../support/collector.js';
import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { call } from '../support/server.js';
import { t } from '../support/tap.js';

const on = (url: string) => ({ TRACING_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/` });

t.test('buffered spans and metrics of every thread are sent before the process exits', async (t) => {
  const collector = await openCollector(t);
  const { url: databaseUrl } = await createTestDatabase(t);
  const server = await spawnServer(t, databaseUrl, {
    ...on(collector.url),
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    METRICS_ENABLED: 'true',
    SERVER_THREADS: '2',
    CRYPTO_THREADS: '2',
  });
  for (let i = 0; i < 6; i++) await call(server.url, 'GET', '/settings', { headers: { connection: 'close' } });
  t.same(collector.spans, []);
  t.same(await server.stop(), { code: 0, signal: null });
  t.equal(collector.spans.filter(({ name }) => name === 'GET /settings').length, 6);
  t.ok(collector.resources.every((resource) => resource['auth.version'] !== undefined));

  const requests = collector.metrics.get('latchkey_http_requests')!;
  t.match(requests.body.sum, { isMonotonic: true, aggregationTemporality: 2 });
  const points = requests.body.sum.dataPoints as { asDouble: number; attributes: { key: string; value: object }[] }[];
  const settings = points.filter(({ attributes }) => JSON.stringify(attributes).includes('"/settings"'));
  t.equal(
    settings.reduce((sum, { asDouble }) => sum + asDouble, 0),
    6,
  );
  const durations = collector.metrics.get('latchkey_http_request_duration')!;
  t.equal(durations.unit, 's');
  const [point] = durations.body.histogram.dataPoints;
  t.equal(point.bucketCounts.length, point.explicitBounds.length + 1);
  t.equal(
    point.bucketCounts.reduce((sum: number, count: number | string) => sum + Number(count), 0),
    Number(point.count),
  );
});

t.test('grpc is not supported: a warning, and the service runs', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const server = await spawnServer(t, databaseUrl, { TRACING_ENABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  t.equal((await call(server.url, 'GET', '/health')).status, 200);
  t.equal(server.lines.filter((line) => line.includes('grpc is not built in')).length, 1);
  t.equal((await server.stop()).code, 0);
});
