/** Verified domains of organizations are looked at again. One without its record for 30 days is lost, which its owners are told. */
import { openDatabase } from '../../src/db/pool.js';
import { openTxtLookup } from '../../src/server/domains/txt-lookup.js';
import { startOrganizationJobs } from '../../src/server/organizations/organization-domain-job.js';
import { openDns, SERVFAIL, type Zone } from '../support/dns-server.js';
import { openOrganizationServer } from '../support/organizations.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

type JobApp = Parameters<typeof startOrganizationJobs>[0];

t.test('the job looks again', async (t) => {
  const zone: Zone = {};
  const dns = await openDns(t, zone);
  const { database, join, found, as, addMember } = await openOrganizationServer(t);
  const { admin: sql, url } = database;
  const [owner, other, member] = [await join(), await join(), await join()];
  const id = await found(owner);
  await addMember(id, other, 'owner');
  await addMember(id, member);
  const days = { fresh: [6, 6], seen: [8, 8], missing: [29, 8], lost: [31, 2], broken: [40, 2], vouched: [40, 40] };
  for (const [name, [seen, looked]] of Object.entries(days)) {
    const { rows } = await sql.query(
      `insert into organization_domains (organization_id, domain, verified_at, seen_at, looked_at, by_admin)
       values ($1, $2, now() - interval '90 days', now() - make_interval(days => $3), now() - make_interval(days => $4), $5)
       returning proof`,
      [id, `${name}.example`, seen, looked, name === 'vouched'],
    );
    if (name === 'seen') zone['_latchkey.seen.example'] = { txt: [`latchkey-domain=${rows[0].proof}`] };
  }
  zone['_latchkey.missing.example'] = { txt: ['no proof'] };
  zone['_latchkey.broken.example'] = { code: SERVFAIL };
  // Verified before these columns were there.
  await sql.query(
    "insert into organization_domains (organization_id, domain, verified_at) values ($1, 'former.example', now() - interval '40 days')",
    [id],
  );
  const warnings: string[] = [];
  const told: string[] = [];
  const quiet = (): void => undefined;
  const warn = (fields: { domain?: string }, text: string) => void warnings.push(`${fields.domain} ${text}`);
  const log = { debug: quiet, info: quiet, warn, isLevelEnabled: () => false };
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  const seal = (mails: readonly { to: string; notice: { organization: string; domain: string } }[]) => {
    for (const { to, notice } of mails) told.push(`${to} ${notice.organization} ${notice.domain}`);
    return [];
  };
  const app = {
    ...{ db, log, txtRecords: openTxtLookup({ dnsServers: [dns] }), limits: { takeNotice: async () => true } },
    mail: { seal, nudge: quiet, isOn: true },
    config: {
      ...{ organizationsEnabled: true, auditLogDisablePostgres: false, siteUrl: 'http://localhost' },
      ...{ externalEmailAuthorizedAddresses: [], texts: { organization_domain_lost_notification: { enabled: false } } },
    },
  } as unknown as JobApp;
  for (const stop of startOrganizationJobs(app, 20)) t.teardown(stop);
  await until(() => Promise.resolve(warnings.length >= 4));
  await until(
    async () =>
      (
        await sql.query(
          "select from organization_domains where domain = 'seen.example' and seen_at > now() - interval '1 hour'",
        )
      ).rowCount === 1,
  );
  const { rows } = await sql.query('select domain from organization_domains where verified_at is null order by domain');
  t.same(
    rows.map(({ domain }) => domain),
    ['former.example', 'lost.example'],
  );
  t.same(warnings.sort(), [
    'broken.example The record of a domain cannot be looked up',
    'former.example A domain of an organization counts no more: its record is missing',
    'lost.example A domain of an organization counts no more: its record is missing',
    'missing.example The record of a domain is missing, and after 30 days the domain counts no more',
  ]);
  const expected = ['former.example', 'lost.example'].flatMap((domain) =>
    [owner, other].map(({ email }) => `${email} Acme ${domain}`),
  );
  t.same(told.sort(), expected.sort(), 'owners are told');
  const { rows: audit } = await sql.query(
    "select payload -> 'traits' ->> 'domain' as domain from audit_log where payload ->> 'action' = 'organization.domain_lost' order by 1",
  );
  t.same(
    audit.map(({ domain }) => domain),
    ['former.example', 'lost.example'],
  );
  const { domains } = (await as(owner, 'GET', `/organizations/${id}`)).body;
  t.match(
    domains.find(({ domain }: { domain: string }) => domain === 'lost.example'),
    { status: 'pending' },
  );
});
