import { type CollectedSpan, openCollector } from '../support/collector.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const on = (url: string) => ({
  TRACING_ENABLED: 'true',
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

t.test('a request is a server span, and its calls are child spans', async (t) => {
  const collector = await openCollector(t);
  const server = await openTestServer(t, {
    ...on(collector.url),
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%201,other=2',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test%20bed,auth.version=forged',
    OTEL_SERVICE_NAME: 'auth',
  });
  const email = freshEmail();
  const password = 'marked-password-8';
  await server.post('/signup', { email, password });
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-extra': 'marked-header' };
  const answer = await server.call('POST', '/token?grant_type=password&x=marked-query', {
    body: { email, password },
    headers,
  });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('traceparent'), null, 'and nothing of it in the answer');
  const find = (name: string, traceId?: string) =>
    collector.spans.find((span) => span.name === name && (traceId === undefined || span.traceId === traceId));
  await collector.until(() => find('POST /token') !== undefined);

  const token = find('POST /token')!;
  t.match(token, { traceId: TRACE, parentSpanId: PARENT, kind: 2, status: 0 }, "the caller's trace goes on");
  t.match(token.attributes, { 'http.method': 'POST', 'http.route': '/token', 'http.status_code': 200 });
  for (const [name, kind] of [
    ['users.user_for_sign_in_by_email', 3],
    ['crypto.verify_password', 1],
    ['crypto.sign_jwt', 1],
  ] as const) {
    const child = collector.spans.find((span) => span.traceId === TRACE && span.name === name);
    t.match(child, { parentSpanId: token.spanId, kind }, name);
  }
  const signup = find('POST /signup')!;
  t.not(signup.traceId, TRACE);
  t.equal(signup.parentSpanId, undefined);
  t.match(collector.resources[0], {
    'service.name': 'auth',
    'auth.version': '0.0.0-test',
    'deployment.environment': 'test bed',
  });
  t.match(collector.headers[0], { 'api-key': 'k 1', other: '2' });
  const all = collector.texts.join('\n');
  for (const secret of [
    email,
    password,
    'marked-query',
    'marked-header',
    answer.body.access_token,
    answer.body.refresh_token,
  ]) {
    t.notOk(all.includes(secret), 'no data of the request is in the spans');
  }
});

t.test('every request is traced, with few span names', async (t) => {
  const collector = await openCollector(t);
  const server = await openTestServer(t, on(collector.url));
  await server.call('GET', '/health');
  await server.call('GET', '/no/such/path');
  await server.call('DELETE', '/user');
  await server.call('GET', '/user');
  await collector.until(() => collector.spans.length >= 4);
  const byName = Object.fromEntries(collector.spans.map((span) => [span.name, span]));
  t.same(Object.keys(byName).sort(), ['DELETE', 'GET', 'GET /health', 'GET /user']);
  t.match(byName['GET']?.attributes, { 'http.status_code': 404, 'latchkey.error_code': 'not_found' });
  t.notHas(byName['GET']?.attributes, { 'http.route': '' });
  t.match(byName['GET /user'], { status: 0, attributes: { 'http.status_code': 401 } }, 'a 4xx is no error of the span');
});

t.test('an invalid traceparent is ignored', async (t) => {
  const collector = await openCollector(t);
  const server = await openTestServer(t, on(collector.url));
  const bad = [
    `00-${TRACE}-${PARENT}-01-extra`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    'x'.repeat(300),
  ];
  for (const traceparent of bad) await server.call('GET', '/health', { headers: { traceparent } });
  await server.call('GET', '/settings', { headers: { traceparent: `cc-${TRACE}-${PARENT}-01-later` } });
  await server.call('GET', '/.well-known/jwks.json', { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
  await server.call('GET', '/health/ready');
  await collector.until(() => collector.spans.some(({ name }) => name === 'GET /health/ready'));
  const health = collector.spans.filter(({ name }) => name === 'GET /health');
  t.equal(health.length, bad.length);
  t.ok(health.every(({ traceId, parentSpanId }: CollectedSpan) => traceId !== TRACE && parentSpanId === undefined));
  const named = (name: string) => collector.spans.find((span) => span.name === name);
  t.equal(named('GET /settings')?.traceId, TRACE, 'a later version of the header is read as far as it is known');
  t.equal(named('GET /.well-known/jwks.json'), undefined, 'what the caller does not sample is not sampled here');
});

t.test('the sampler can be configured', async (t) => {
  const collector = await openCollector(t);
  const none = await openTestServer(t, {
    ...on(collector.url),
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await none.call('GET', '/health', { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  await none.server.stop(1);
  t.same(collector.spans, []);
});
