/** The dashboard and the alerts query only metrics and labels that exist. */

import { parse } from 'yaml';
import { openThreadMetrics, renderMetrics } from '../../src/server/telemetry/metrics.js';
import { type Family, lintPage, parsePage } from '../support/prometheus.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

/** All metrics, with a sample of each labelled one. */
async function readAllMetrics(): Promise<Map<string, Family>> {
  const metrics = openThreadMetrics({
    version: '1.2.3',
    inFlight: () => 0,
    database: () => ({ open: 1, idle: 1, waiting: 0, limit: 5 }),
    crypto: () => ({
      hashThreads: 1,
      hashesRunning: 0,
      hashesQueued: 0,
      hashesRejected: 0,
      signaturesQueued: 0,
      threadsLost: 0,
    }),
    mail: () => ({ waiting: 0, sent: 0, retried: 0, failed: { refused: 0, expired: 0, unknown: 0 } }),
    texts: () => ({ waiting: 0, sent: 0, retried: 0, failed: { refused: 0, expired: 0, unknown: 0 } }),
    passwords: () => ({ leakChecks: {}, filterBuiltAtSeconds: 1 }),
    events: () => ({ delivered: 1, retried: 0, dead: 0 }),
    limits: () => ({ rejections: { 'client.token': 1 }, remembered: 0 }),
    tokenKeys: () => ({ verifications: new Map([['a', { ok: 1, expired: 0, refused: 0 }]]), ageSeconds: { a: 1 } }),
    oauth: () => ({ grants: new Map([['refresh_token ok', 1]]), logouts: new Map([['delivered', 1]]) }),
    ssoEnds: () => ({ certificate: 1, metadata: 0 }),
    factors: () => ({ results: new Map([['totp ok', 1]]), offsets: new Map([[0, 1]]) }),
    organizations: () => ({ counts: { organizations: 1, members: 1, pending: 1 } }),
    logFailures: () => 0,
  });
  const entry = {
    requestId: '',
    params: {},
    path: '',
    durationMs: 1,
    remoteAddress: '',
    errorCode: undefined,
    cause: undefined,
  };
  for (const [route, grantType] of [
    ['/signup', undefined],
    ['/token', 'password'],
    ['/token', 'refresh_token'],
  ] as const) {
    metrics.observeRequest({ ...entry, method: 'POST', route, grantType, status: 200 });
  }
  metrics.countAuditEvent('login');
  metrics.countAuditEvent('organization.invitation_created');
  metrics.countSms('sent');
  // The garbage collector may not have run yet.
  const page = parsePage(await renderMetrics([await metrics.snapshot()], { auth_version: '1.2.3' }));
  metrics.close();
  return page;
}

const withoutSuffix = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');

/** @returns one sentence for each metric or label of a PromQL expression that does not exist */
function findUnknown(expression: string, families: ReadonlyMap<string, Family>): string[] {
  const faults: string[] = [];
  for (const [, name, selector = ''] of expression.matchAll(/\b((?:latchkey|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)) {
    const family = families.get(name!) ?? families.get(withoutSuffix(name!));
    if (family === undefined) {
      faults.push(`${name} is no metric`);
      continue;
    }
    if (family.type === 'histogram' && name === withoutSuffix(name!))
      faults.push(`${name} has series only with a suffix`);
    const labels = new Set(['instance', ...family.samples.flatMap(({ labels: held }) => Object.keys(held))]);
    for (const [, label] of selector.matchAll(/([a-z_]+)\s*(?:=~|!=|!~|=)/g)) {
      if (!labels.has(label!)) faults.push(`${name} has no label ${label}`);
    }
    const grouped =
      /by \(([^)]*)\)\s*\((?:rate|increase)?\(?$/.exec(expression.slice(0, expression.indexOf(name!)))?.[1] ?? '';
    for (const label of grouped.split(/,\s*/)) {
      if (label !== '' && family.samples.length > 0 && !labels.has(label))
        faults.push(`${name} is grouped by ${label}`);
    }
    if (family.type === 'counter' && !/(?:rate|increase)\($/.test(expression.slice(0, expression.indexOf(name!)))) {
      faults.push(`${name} is a counter and used without rate`);
    }
  }
  return faults;
}

t.test('every metric follows the rules, with or without data', async (t) => {
  t.same(lintPage(await readAllMetrics()), []);
});

t.test('the dashboard queries metrics that exist', async (t) => {
  const families = await readAllMetrics();
  const dashboard = JSON.parse(readSource('deploy/grafana/latchkey.json').text);
  const expressions: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  t.ok(expressions.length > 20);
  t.same(
    expressions.flatMap((expression) => findUnknown(expression, families)),
    [],
  );
  t.equal(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size, dashboard.panels.length);
  const shown = new Set(
    [...expressions.join('\n').matchAll(/\b(?:latchkey|process)_[a-z0-9_]+/g)].map(([name]) => withoutSuffix(name)),
  );
  t.ok(shown.size >= 25, `${shown.size} of ${families.size} metrics are shown`);
});

t.test('the alerts query metrics that exist, and describe what to do', async (t) => {
  const families = await readAllMetrics();
  const { rules } = parse(readSource('deploy/prometheus/alerts.yml').text).groups[0];
  t.equal(rules.length, 3);
  for (const { expr, labels, annotations } of rules) {
    t.match(expr, /latchkey_/);
    t.same(findUnknown(expr, families), []);
    t.match(labels.severity, /^(?:page|warn)$/);
    t.match(annotations, { summary: /./, description: /./ });
    // Settings and metrics that the description names.
    const unknown = findUnknown(annotations.description, families);
    t.same(
      unknown.filter((fault) => fault.includes('no metric')),
      [],
    );
    for (const [name] of annotations.description.matchAll(/AUTH_[A-Z_]+/g))
      t.ok(readSource('docs/settings.md').text.includes(name), name);
  }
});

t.test('docs/run/metrics.md lists every metric, and no other', async (t) => {
  const families = await readAllMetrics();
  const text = readSource('docs/run/metrics.md').text;
  const named = [...text.matchAll(/`((?:latchkey_|process_|target_)[a-z0-9_]+)`/g)].map(([, name]) => name!);
  t.same(
    named.filter((name) => !families.has(name)),
    [],
  );
  // The page abbreviates: `latchkey_db_connections_open`, `_idle`.
  const words = (name: string): string[] => name.split('_').map((_, i, parts) => `_${parts.slice(i).join('_')}`);
  const missing = [...families.keys()].filter(
    (name) => !named.includes(name) && !words(name).some((tail) => text.includes(`\`${tail}\``)),
  );
  t.same(
    missing.filter((name) => !/_event_loop_delay_(?:p99|max)_/.test(name)),
    [],
  );
});

t.test('the check fails when it should', async (t) => {
  const families = await readAllMetrics();
  t.same(findUnknown('rate(latchkey_nothing_total[5m])', families), ['latchkey_nothing_total is no metric']);
  t.same(findUnknown('rate(latchkey_sms_total{colour="red"}[5m])', families), [
    'latchkey_sms_total has no label colour',
  ]);
  t.match(findUnknown('sum by (colour) (rate(latchkey_sms_total[5m]))', families), [/grouped by colour/]);
  t.match(findUnknown('latchkey_sms_total', families), [/without rate/]);
  t.match(findUnknown('rate(latchkey_http_request_duration_seconds[5m])', families), [/only with a suffix/]);

  const broken = `# HELP latchkey_wait_ms Wait.
# TYPE latchkey_wait_ms histogram
latchkey_wait_ms_bucket{le="1"} 2
latchkey_wait_ms_bucket{le="+Inf"} 1
latchkey_wait_ms_count 1
# HELP waits Waits.
# TYPE waits counter
waits -1
waits -1
`;
  t.same(lintPage(parsePage(broken)), [
    'latchkey_wait_ms is not in base units',
    'latchkey_wait_ms has broken buckets',
    'waits has no prefix',
    'waits ends with _total if and only if it is a counter',
    'waits has a sample twice',
    'waits has an invalid value',
  ]);
});
