/** Domains of companies count once the DNS shows their record. */

import { openDatabase } from '../../src/db/pool.js';
import { openTxtLookup } from '../../src/server/domains/txt-lookup.js';
import { startDomainChecks } from '../../src/server/saml/domain-job.js';
import { openDns, SERVFAIL, type Zone } from '../support/dns-server.js';
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { openSamlFlow } from '../support/saml-flow.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

type JobApp = Parameters<typeof startDomainChecks>[0];

t.test('a domain counts once it is proven, and no more 30 days after its record has gone', async (t) => {
  const zone: Zone = {};
  const dns = await openDns(t, zone);
  const flow = await openSamlFlow(t, { SAML_REQUIRE_DOMAIN_PROOF: 'true', DNS_SERVERS: dns });
  const { admin, post } = flow;
  const { admin: sql } = flow.database;
  const idp = openFakeIdp();
  const { body: provider } = await flow.addProvider(idp, { domains: ['Acme.example', 'acme.org'], enforced: true });
  const [domain, other] = provider.domains;
  const path = `/admin/sso/providers/${provider.id}`;

  await t.test('a new one is pending', async (t) => {
    t.match(domain, { domain: 'acme.example', status: 'pending' });
    t.match(domain.record, { name: '_latchkey.acme.example', type: 'TXT', value: /^latchkey-domain=[0-9a-f]{32}$/ });
    t.not(domain.record.value, other.record.value);
    t.same((await admin('GET', path)).body.domains, provider.domains, 'the same each time');
    t.same((await admin('GET', '/admin/sso/providers')).body.items[0].domains, provider.domains);
    t.match(await post('/sso', { domain: 'acme.example' }), {
      status: 404,
      body: { error_code: 'sso_provider_not_found' },
    });
    const account = await post('/signup', { email: freshEmail().replace(/@.*/, '@acme.example'), password });
    t.equal(account.status, 200, 'it enforces nothing');
    t.match(await flow.signIn(idp, { provider_id: provider.id }, person()), { status: 302 }, 'by id all goes on');
  });

  await t.test('refusals say what was found', async (t) => {
    t.match(await admin('POST', `${path}/domains/acme.example/verify`), {
      status: 422,
      body: { error_code: 'domain_record_missing', record: domain.record, found: [], msg: /There is no TXT record/ },
    });
    zone['_latchkey.acme.example'] = { txt: [other.record.value] };
    t.match(await admin('POST', `${path}/domains/ACME.example/verify`), { body: { found: [other.record.value] } });
    t.match(await admin('POST', `${path}/domains/foreign.example/verify`), {
      status: 404,
      body: { error_code: 'sso_domain_not_found' },
    });
    t.match(await admin('POST', '/admin/sso/providers/unknown/domains/acme.example/verify'), {
      status: 404,
      body: { error_code: 'sso_provider_not_found' },
    });
    t.equal((await post(`${path}/domains/acme.example/verify`, {})).status, 401, 'administrators only');
  });

  await t.test('with its record it counts', async (t) => {
    zone['_latchkey.acme.example'] = { txt: ['another', domain.record.value] };
    const verified = await admin('POST', `${path}/domains/Acme.Example/verify`);
    t.equal(verified.status, 200);
    t.same(verified.body, { ...domain, status: 'verified' });
    t.match((await admin('GET', path)).body.domains, [
      { status: 'verified' },
      { domain: 'acme.org', status: 'pending' },
    ]);
    t.match(await flow.signIn(idp, { domain: 'acme.example' }, person()), { status: 302 });
    t.match(await post('/sso', { domain: 'acme.org' }), { status: 404 });
    await until(async () => (await post('/recover', { email: 'ann@acme.example' })).status === 422);
    t.not((await post('/recover', { email: 'ann@acme.org' })).status, 422);
    const { rows } = await sql.query(
      `select payload ->> 'action' as action from audit_log where payload ->> 'action' like 'sso_domain%'`,
    );
    t.same(rows, [{ action: 'sso_domain_verified' }]);
    const provenOf = async (mail: string) => {
      await flow.signIn(idp, { domain: 'acme.example' }, { ...person(), attributes: { mail } });
      return (await sql.query('select proven_email from users where email = $1', [mail])).rows;
    };
    t.same(await provenOf('ann@acme.example'), [{ proven_email: 'ann@acme.example' }]);
    for (const mail of ['ann@acme.org', 'ann@mail.example', 'ann@sub.acme.example']) {
      t.same(await provenOf(mail), [{ proven_email: null }], `${mail} is what the company says, and no more`);
    }
    await admin('PUT', path, { domains: ['acme.example'], name_id_format: 'persistent' });
    t.match((await admin('GET', path)).body.domains, [{ status: 'verified' }], 'what stays, stays verified');
    await admin('PUT', path, { domains: [] });
    await admin('PUT', path, { domains: ['acme.example'] });
    const [anew] = (await admin('GET', path)).body.domains;
    t.equal(anew.status, 'pending');
    t.not(anew.record.value, domain.record.value, 'who comes later proves it anew');
  });

  await t.test('the job looks again', async (t) => {
    const quiet = (): void => undefined;
    const warnings: string[] = [];
    const warn = (fields: { domain?: string }, text: string) => void warnings.push(`${fields.domain} ${text}`);
    const log = { debug: quiet, info: quiet, warn, isLevelEnabled: () => false };
    const { url } = flow.database;
    const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log });
    t.teardown(() => db.close());
    const names = ['fresh', 'seen', 'missing', 'lost', 'broken', 'again'];
    await admin('PUT', path, { domains: names.map((name) => `${name}.example`) });
    const { rows: made } = await sql.query('select domain, proof from sso_domains');
    for (const { domain, proof } of made) zone[`_latchkey.${domain}`] = { txt: [`latchkey-domain=${proof}`] };
    zone['_latchkey.missing.example'] = { txt: ['no proof'] };
    delete zone['_latchkey.lost.example'];
    zone['_latchkey.broken.example'] = { code: SERVFAIL };
    const days = { fresh: [6, 6], seen: [8, 8], missing: [29, 8], lost: [31, 2], broken: [40, 2], again: [31, 2] };
    for (const [name, [seen, looked]] of Object.entries(days)) {
      await sql.query(
        `update sso_domains set verified_at = now() - interval '90 days', seen_at = now() - make_interval(days => $2),
           looked_at = now() - make_interval(days => $3) where domain = $1`,
        [`${name}.example`, seen, looked],
      );
    }
    await sql.query(`update sso_domains set seen_at = looked_at where domain in ('fresh.example', 'seen.example')`);
    const app = {
      db,
      log,
      config: { auditLogDisablePostgres: false },
      txtRecords: openTxtLookup({ dnsServers: [dns] }),
    } as unknown as JobApp;
    const stop = startDomainChecks(app, 20);
    t.teardown(stop);
    const state = async () =>
      Object.fromEntries(
        (
          await sql.query(`select split_part(domain, '.', 1) as name, verified_at is not null as is_verified,
            looked_at > now() - interval '1 hour' as is_looked, seen_at > now() - interval '1 hour' as is_seen from sso_domains`)
        ).rows.map(({ name, is_verified, is_looked, is_seen }) => [name, [is_verified, is_looked, is_seen].join()]),
      );
    await until(() => Promise.resolve(warnings.length >= 3));
    await until(
      async () => (await state())['again'] === 'true,true,true' && (await state())['seen'] === 'true,true,true',
    );
    t.same(await state(), {
      fresh: 'true,false,false',
      seen: 'true,true,true',
      missing: 'true,true,false',
      lost: 'false,true,false',
      broken: 'true,true,false',
      again: 'true,true,true',
    });
    t.same(warnings.sort(), [
      'broken.example The record of a domain cannot be looked up',
      'lost.example A domain of an identity provider counts no more: its record is missing',
      'missing.example The record of a domain is missing, and after 30 days the domain counts no more',
    ]);
    const { rows } = await sql.query(
      `select payload -> 'traits' as traits from audit_log where payload ->> 'action' = 'sso_domain_lost'`,
    );
    t.same(rows, [{ traits: { sso_provider_id: provider.id, domain: 'lost.example' } }]);
    t.equal((await admin('POST', '/sso', { domain: 'lost.example' })).status, 404);
  });
});

const person = () => ({ nameId: { value: 'ann', format: PERSISTENT }, attributes: { mail: 'ann@acme.example' } });

t.test('where no proof is needed, domains count at once, and can be proven before it is', async (t) => {
  const zone: Zone = {};
  const flow = await openSamlFlow(t, { DNS_SERVERS: await openDns(t, zone) });
  const { body: provider } = await flow.addProvider(openFakeIdp(), { domains: ['acme.example'] });
  t.same(provider.domains, [{ domain: 'acme.example' }]);
  t.equal((await flow.post('/sso', { domain: 'acme.example', skip_http_redirect: true })).status, 200);
  const where = `/admin/sso/providers/${provider.id}/domains/acme.example/verify`;
  const { body: refusal } = await flow.admin('POST', where);
  zone[refusal.record.name] = { txt: [refusal.record.value] };
  t.match(await flow.admin('POST', where), { status: 200, body: { status: 'verified' } });
});
