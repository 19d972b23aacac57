import { createServer } from 'node:net';
import { endpoints } from '../../src/server/endpoints/index.js';
import { lintPage, parsePage, sumOf } from '../support/prometheus.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const metricsOn = {
  LOG_LEVEL: 'panic',
  METRICS_ENABLED: 'true',
  METRICS_EXPORTER: 'prometheus',
  OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
  OTEL_EXPORTER_PROMETHEUS_PORT: '0',
};

for (const threads of ['1', '2']) {
  t.test(
    `SEC-76 the page is on a separate port and contains no user and no raw path: ${threads} thread(s)`,
    async (t) => {
      const { call, post, server } = await openTestServer(t, {
        ...metricsOn,
        SERVER_THREADS: threads,
        CRYPTO_THREADS: threads,
      });
      const read = async () => (await fetch(`http://127.0.0.1:${server.metricsPort}/`)).text();
      const email = freshEmail();
      const password = 'marked-password-7';
      const made = await post('/signup', { email, password });
      t.equal(made.status, 200);
      for (let i = 0; i < 4; i++) {
        await call('POST', '/token?grant_type=password', {
          body: { email, password },
          headers: { connection: 'close' },
        });
      }
      t.equal((await post('/token?grant_type=password', { email, password: 'wrong' })).status, 400);
      const refresh_token = made.body.refresh_token;
      t.equal((await post('/token?grant_type=refresh_token', { refresh_token })).status, 200);
      await call('GET', `/nowhere/${email}?secret=marked-query`);
      await call('GET', `/user/${made.body.user.id}`);
      await call('GET', '/health');

      const page = await read();
      const families = parsePage(page);
      t.same(lintPage(families), []);
      const of = (name: string, labels = {}) => sumOf(families, name, labels);
      t.equal(of('latchkey_http_requests_total', { method: 'POST', route: '/signup', status: '200' }), 1);
      t.equal(of('latchkey_http_requests_total', { method: 'POST', route: '/token' }), 6);
      t.equal(of('latchkey_http_requests_total', { route: '/health' }), 1, 'quiet routes are counted');
      t.equal(of('latchkey_http_requests_total', { route: 'none', status: '404' }), 2);
      t.equal(of('latchkey_http_request_duration_seconds_count', { route: '/token' }), 6);
      t.equal(of('latchkey_sign_ins_total', { method: 'password', result: 'ok' }), 4);
      t.equal(of('latchkey_sign_ins_total', { method: 'password', result: 'invalid_credentials' }), 1);
      t.equal(of('latchkey_token_refreshes_total', { result: 'ok' }), 1);
      t.equal(of('latchkey_sign_ups_total', { result: 'ok' }), 1);
      t.equal(of('latchkey_account_events_total', { action: 'user_signedup' }), 1);
      t.equal(of('latchkey_account_events_total', { action: 'token_refreshed' }), 1, 'independent of the log settings');
      t.equal(of('latchkey_threads', { kind: 'server' }), Number(threads));
      t.ok(of('latchkey_db_connections_open') >= 1);
      t.equal(of('latchkey_db_connections_limit'), threads === '1' ? 5 : 4);
      for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'latchkey_heap_used_bytes']) {
        t.ok(of(name) > 0, name);
      }
      t.ok(of('latchkey_event_loop_delay_max_seconds') < 60 && families.has('latchkey_event_loop_delay_p99_seconds'));
      t.ok(Math.abs(of('process_start_time_seconds') - (Date.now() / 1000 - process.uptime())) < 5);

      for (const secret of [email, password, 'marked-query', made.body.user.id, made.body.access_token, '127.0.0.1']) {
        t.notOk(page.includes(secret), 'nothing of the requests is in it');
      }
      const paths = new Set<string | undefined>(['none', ...endpoints.map(({ path }) => path)]);
      for (const { samples } of families.values()) {
        for (const { labels } of samples) if ('route' in labels) t.ok(paths.has(labels.route), labels.route);
      }
      t.equal((await call('GET', '/metrics')).status, 404, 'the API itself shows none');
      t.equal((await fetch(`http://127.0.0.1:${server.metricsPort}/user`)).status, 404);
      t.equal((await fetch(`http://127.0.0.1:${server.metricsPort}/`, { method: 'POST' })).status, 405);
    },
  );
}

t.test('SEC-76 without the setting there is no listener', async (t) => {
  const { server } = await openTestServer(t);
  t.equal(server.metricsPort, null);
});

t.test('SEC-76 a taken port disables the metrics, not the server', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void holder.close());
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as { port: number };
  const { call, server } = await openTestServer(t, { ...metricsOn, OTEL_EXPORTER_PROMETHEUS_PORT: String(port) });
  t.equal(server.metricsPort, null);
  t.equal((await call('GET', '/health')).status, 200);
});
