/** Audit entries of one organization: for its members, for administrators, for operators of the console. */
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { countOrganizations } from '../../src/db/organization-figures.js';
import { openDatabase } from '../../src/db/pool.js';
import { newOrganizationFigures, watchOrganizations } from '../../src/server/organizations/organization-figures.js';
import type { MetricSources } from '../../src/server/telemetry/metric-sources.js';
import { addOrganizationMetrics } from '../../src/server/telemetry/organization-metrics.js';
import { asAdmin } from '../support/admin.js';
import { openTestConsole } from '../support/console.js';
import { actWith } from '../support/organizations.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const quiet = (): void => undefined;

interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly payload: {
    readonly action: string;
    readonly actor_id: string;
    readonly actor_username: string;
    readonly traits: Readonly<Record<string, unknown>>;
  };
}

t.test('audit entries of an organization', async (t) => {
  const console = await openTestConsole(t, {
    ORGANIZATIONS_ENABLED: 'true',
    METRICS_ENABLED: 'true',
    METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: '0',
  });
  const server = actWith(console);
  const admin = asAdmin(server);
  const { as, joinProven: join, found } = server;
  const [owner, person, other] = [await join(), await join(), await join()];
  const id = await found(owner);
  const otherId = await found(other, 'Other');
  await as(owner, 'POST', `/organizations/${id}/invitations`, { email: person.email });
  const [invitation] = (await as(person, 'GET', '/invitations')).body.invitations;
  await as(person, 'POST', `/invitations/${invitation.id}/accept`);
  await as(owner, 'PATCH', `/organizations/${id}`, { name: 'Renamed' });
  await admin('PUT', `/admin/organizations/${id}`, { max_members: 9 });
  await as(other, 'PATCH', `/organizations/${otherId}`, { name: 'Also renamed' });
  const path = `/organizations/${id}/audit`;
  const actionsOf = (entries: readonly Entry[]): string[] => entries.map(({ payload }) => payload.action);
  const all = [
    'organization.updated',
    'organization.updated',
    'organization.invitation_accepted',
    'organization.invitation_created',
    'organization.member_added',
    'organization.created',
  ];

  await t.test('with audit:read, newest first, page by page', async (t) => {
    const answer = await as(owner, 'GET', path);
    t.equal(answer.status, 200);
    // Two are of one statement, so of one time.
    t.same(actionsOf(answer.body.entries).sort(), [...all].sort());
    t.equal(answer.body.next_cursor, null);
    const pages: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await as(owner, 'GET', `${path}?limit=2&cursor=${cursor}`);
      t.ok(body.entries.length <= 2);
      pages.push(...body.entries);
      cursor = body.next_cursor;
    }
    t.same(pages, answer.body.entries);
    t.match(await as(person, 'GET', path), { status: 403, body: { error_code: 'organization_permission_missing' } });
    t.match(await as(other, 'GET', path), { status: 404, body: { error_code: 'organization_not_found' } });
    t.match(await as(owner, 'GET', `${path}?cursor=x`), { status: 400 });
    const { next_cursor: foreign } = (await as(owner, 'GET', `${path}?limit=1`)).body;
    const { entries } = (await as(other, 'GET', `/organizations/${otherId}/audit?cursor=${foreign}`)).body as {
      entries: Entry[];
    };
    t.ok(entries.every(({ payload }) => payload.traits['organization_id'] === otherId));
  });

  await t.test('it tells neither where members are nor which administrator did something', async (t) => {
    const operator = await console.signIn('admin', 'ann-the-operator');
    await console.database.admin.query(
      `insert into audit_log (payload, ip_address) values (jsonb_build_object(
         'action', 'organization.updated', 'log_type', 'team', 'actor_id', $1::text, 'actor_username', 'ann-the-operator',
         'traits', jsonb_build_object('organization_id', $2::text, 'changed', array['name'], 'reason', 'ticket 77',
           'operator', jsonb_build_object('name', 'ann-the-operator'), 'request_id', 'r-1')), '192.0.2.7')`,
      [operator.operatorId, id],
    );
    const { body } = await as(owner, 'GET', path);
    t.match(body.entries[0], {
      payload: {
        action: 'organization.updated',
        actor_id: '00000000-0000-0000-0000-000000000000',
        actor_username: 'administrator',
        traits: { organization_id: id, changed: ['name'] },
      },
    });
    t.notMatch(JSON.stringify(body), /ann-the-operator|ticket 77|r-1|service_role|192\.0\.2\.7|127\.0\.0\.1/);
    t.match(
      (body.entries as Entry[]).find(({ payload }) => payload.action === 'organization.created'),
      { payload: { actor_id: owner.id, actor_username: owner.email } },
    );
  });

  await t.test('administrators and operators filter by organization', async (t) => {
    const read = (query: string) => admin('GET', `/admin/audit?organization_id=${id}${query}`);
    const first = await read('&per_page=3');
    t.equal(first.headers.get('x-total-count'), '7');
    t.equal(first.body.length, 3);
    t.match(first.headers.get('link'), `organization_id=${id}`);
    t.match(first.body[0], { ip_address: '192.0.2.7', payload: { actor_username: 'ann-the-operator' } });
    t.same(actionsOf((await read('&query=action:invitation_a')).body), ['organization.invitation_accepted']);
    t.equal((await read(`&query=author:${person.email}`)).body.length, 2);
    t.equal((await read('&query=type:team')).body.length, 7);
    t.same((await admin('GET', `/admin/audit?organization_id=${randomUUID()}`)).body, []);
    t.match(await admin('GET', '/admin/audit?organization_id=x'), { status: 400 });

    const operator = await console.signIn('viewer', 'vic');
    const activity = async (query: string): Promise<Entry[]> =>
      (await operator.get(`/api/activity?organization_id=${id}${query}`)).body.entries;
    t.equal((await activity('')).length, 7);
    t.equal((await activity('&action=organization.updated')).length, 3);
    t.same(actionsOf(await activity(`&action=organization.updated&person=${owner.id}`)), ['organization.updated']);
    t.ok((await activity(`&person=${person.id}`)).length >= 2);
    t.same(await activity(`&person=${other.id}`), []);
    t.match(await operator.get('/api/activity?organization_id=x'), { status: 400 });
  });

  await t.test('metrics: how many there are, and invitations by outcome', async (t) => {
    const figures = newOrganizationFigures();
    const log = { debug: quiet, info: quiet, warn: quiet };
    const { url } = console.database;
    const db = openDatabase({ url, maxConnections: 1, prefix: '', preparedStatements: true, log });
    t.teardown(() => db.close());
    const stop = watchOrganizations(db, log, figures, 10);
    t.teardown(stop);
    await until(() => figures.counts !== null);
    t.same(figures.counts, { organizations: 2, members: 3, pending: 0 });
    await as(owner, 'POST', `/organizations/${id}/invitations`, { email: 'new@example.com' });
    await until(() => figures.counts?.pending === 1);
    stop();
    t.same(await countOrganizations(db, 2), { organizations: 2, members: 2, pending: 1 }, 'what was counted');
    await console.database.admin.query('analyze organization_members');
    t.match(await countOrganizations(db, 2), { members: 3 }, 'or what Postgres knows');

    const page = await (await fetch(`http://127.0.0.1:${console.server.metricsPort}/`)).text();
    t.match(page, /^latchkey_organization_invitations_total\{outcome="created"\} 2$/m);
    t.match(page, /^latchkey_organization_invitations_total\{outcome="accepted"\} 1$/m);
    t.match(page, /^latchkey_organizations \d+$/m);
  });
});

t.test('the metrics are there only while organizations are on', async (t) => {
  const registers = [new Registry()];
  let source: ReturnType<MetricSources['organizations']> = null;
  const metrics = addOrganizationMetrics(registers, () => source);
  const names = async () => (await registers[0]!.getMetricsAsJSON()).filter(metrics.isShown).map(({ name }) => name);
  metrics.countAuditEvent('login');
  t.same(await names(), []);
  source = { counts: { organizations: 3, members: 4, pending: 5 } };
  t.equal((await names()).length, 4);
  const page = await registers[0]!.metrics();
  t.match(page, /^latchkey_organizations 3\n/m);
  t.match(page, /^latchkey_organization_members 4\n/m);
  t.match(page, /^latchkey_organization_invitations_pending 5\n/m);
  source = { counts: null };
  t.notMatch(await registers[0]!.metrics(), /^latchkey_organizations \d/m, 'another thread counts');
});
