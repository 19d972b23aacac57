/** Resource attributes: the build of a metric or span, and what the operator adds. */

import { openCollector } from '../support/collector.js';
import { sameInFull } from '../support/long-form.js';
import { lintPage, parsePage } from '../support/prometheus.js';
import { pickFirst } from '../support/rows.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const prometheus = {
  METRICS_ENABLED: 'true',
  METRICS_EXPORTER: 'prometheus',
  OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
  OTEL_EXPORTER_PROMETHEUS_PORT: '0',
};

for (const threads of pickFirst(['2', '1'])) {
  t.test(`target_info has auth_version and every resource attribute: ${threads} thread(s)`, async (t) => {
    const { server } = await openTestServer(t, {
      ...prometheus,
      SERVER_THREADS: threads,
      CRYPTO_THREADS: threads,
      OTEL_RESOURCE_ATTRIBUTES:
        'deployment.environment=test%20bed,k8s.pod-name=a"b\\c,1st=x,team=core,k8s.pod.name=other,__hidden=no,auth.version=forged',
    });
    const page = await (await fetch(`http://127.0.0.1:${server.metricsPort}/`)).text();
    const families = parsePage(page);
    t.same(lintPage(families), []);
    const { type, samples } = families.get('target_info')!;
    t.equal(type, 'gauge');
    t.equal(samples.length, 1);
    t.equal(samples[0]!.value, 1);
    t.match(samples[0]!.labels, {
      auth_version: '0.0.0-test',
      service_name: 'latchkey',
      service_instance_id: /-\d+$/,
      deployment_environment: 'test bed',
      // One label for two names that differ in punctuation only, and none that begins with a digit.
      k8s_pod_name: 'a\\"b\\\\c;other',
      _1st: 'x',
      team: 'core',
      // Two underscores in front would make Prometheus drop it.
      _hidden: 'no',
    });
  });
}

t.test('the name of the service: OTEL_SERVICE_NAME, else the resource attribute', sameInFull, async (t) => {
  for (const [settings, name] of [
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=accounts' }, 'accounts'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=accounts', OTEL_SERVICE_NAME: 'auth' }, 'auth'],
  ] as const) {
    const { server } = await openTestServer(t, { ...prometheus, ...settings });
    const page = await (await fetch(`http://127.0.0.1:${server.metricsPort}/`)).text();
    t.equal(parsePage(page).get('target_info')!.samples[0]!.labels['service_name'], name);
  }
});

t.test('auth.version is on every span and every pushed metric', sameInFull, async (t) => {
  const collector = await openCollector(t);
  const { call, post, server } = await openTestServer(t, {
    TRACING_ENABLED: 'true',
    METRICS_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,auth.version=forged',
  });
  await post('/signup', { email: freshEmail(), password: 'correct horse battery' });
  await call('GET', '/no/such/path');
  await collector.until(() => collector.spans.length >= 4 && collector.metrics.size > 10);
  await server.stop(1);
  t.ok(collector.spans.length >= 4);
  for (const { name, attributes } of collector.spans) t.equal(attributes['auth.version'], '0.0.0-test', name);
  t.ok(collector.resources.length >= 2, 'of traces and of metrics');
  for (const resource of collector.resources) {
    t.match(resource, { 'auth.version': '0.0.0-test', 'deployment.environment': 'test' });
  }
});
