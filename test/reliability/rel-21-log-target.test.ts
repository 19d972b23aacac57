import { createTestDatabase } from '../support/database.js';
import { sameInFull } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { parsePage, sumOf } from '../support/prometheus.js';
import { pickFirst } from '../support/rows.js';
import { call } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const TROUBLE = 'cannot be written: lines go to standard error';

const ids = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.includes('"request completed"')).map((line) => JSON.parse(line).request_id);

async function serve(t: Test, file: string, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const { url } = await createTestDatabase(t);
  return spawnServer(t, url, { LOG_FILE: file, REQUEST_ID_HEADER: 'x-request-id', ...settings });
}

async function ask(server: ServerProcess, id: string): Promise<void> {
  const { status } = await call(server.url, 'GET', '/settings', { headers: { 'x-request-id': id } });
  if (status !== 200) throw new Error(`${id} failed with ${status}`);
}

t.test(
  'REL-21 a full disk fails no request: entries go to stderr, one gives the reason, and each failure is counted',
  sameInFull,
  async (t) => {
    const server = await serve(t, '/dev/full', {
      METRICS_ENABLED: 'true',
      METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: '0',
    });
    for (let i = 0; i < 40; i++) await ask(server, `full-${i}`);
    await until(() => server.lines.some((line) => line.includes('full-39')));
    t.equal(ids(server.lines).length, 40, 'no line is lost');
    t.equal(server.lines.filter((line) => line.includes(TROUBLE)).length, 1);
    t.match(
      server.lines.find((line) => line.includes(TROUBLE)),
      /"error_cause_code":"ENOSPC"/,
    );
    const { port } = JSON.parse(server.lines.find((line) => line.includes('"Metrics are served"'))!);
    const page = parsePage(await (await fetch(`http://127.0.0.1:${port}/`)).text());
    t.ok(sumOf(page, 'latchkey_log_write_failures_total') >= 1);

    await t.test('nor does a closed stderr end the server', async (t) => {
      server.hangUp();
      for (let i = 0; i < 20; i++) await ask(server, `gone-${i}`);
      await new Promise((resolve) => setTimeout(resolve, 400));
      for (let i = 0; i < 20; i++) await ask(server, `gone-${i}`);
      t.same(await server.stop(), { code: 0, signal: null });
    });
  },
);

const cannotBeMade = ['a directory that cannot be made', '/dev/null/logs/latchkey.log'] as const;
const isDirectory = ['a directory in place of a file', '/tmp'] as const;
for (const [what, path] of pickFirst([cannotBeMade, isDirectory])) {
  t.test(`REL-21 ${what}: the server starts and logs to stderr`, async (t) => {
    const server = await serve(t, path);
    await ask(server, 'start-1');
    await until(() => server.lines.some((line) => line.includes('start-1')));
    t.equal(server.lines.filter((line) => line.includes(TROUBLE)).length, 1);
    t.equal((await server.stop()).code, 0);
  });
}
