/** An organization proves its domains by DNS, and a domain is that of one organization. */
import { openDns, type Zone } from '../support/dns-server.js';
import { openOrganizationServer } from '../support/organizations.js';
import { t } from '../support/tap.js';

t.test('a domain is added, proven and removed', async (t) => {
  const zone: Zone = {};
  const server = await openOrganizationServer(t, { DNS_SERVERS: await openDns(t, zone) });
  const { as, join, found, database } = server;
  const owner = await join();
  const rival = await join();
  const id = await found(owner);
  const other = await found(rival, 'Other');
  const path = `/organizations/${id}/domains`;
  const otherPath = `/organizations/${other}/domains`;
  const audited = async () => {
    const { rows } = await database.admin.query(
      "select payload ->> 'action' as action from audit_log where payload ->> 'action' like 'organization.domain%' order by created_at",
    );
    return rows.map(({ action }) => action);
  };

  await t.test('what no organization can have is refused', async (t) => {
    for (const domain of ['gmail.com', 'GMX.de.', 'com', 'a..example', '-a.example', '127.0.0.1', 'a b.example', '']) {
      const body = { error_code: 'validation_failed' };
      t.match(await as(owner, 'POST', path, { domain }), { status: 400, body }, domain);
    }
    t.match(await as(owner, 'POST', path, {}), { status: 400 });
    t.same((await as(owner, 'GET', path)).body, { domains: [], next_cursor: null });
  });

  await t.test('a new one is pending, and the same when added again', async (t) => {
    const { status, body } = await as(owner, 'POST', path, { domain: 'Acme.EXAMPLE' });
    t.equal(status, 201);
    t.match(body, { domain: 'acme.example', status: 'pending', verified_at: null });
    t.match(body.record, { name: '_latchkey.acme.example', type: 'TXT', value: /^latchkey-domain=[0-9a-f]{32}$/ });
    t.same((await as(owner, 'POST', path, { domain: 'acme.example.' })).body, body);
    t.same((await as(owner, 'GET', path)).body, { domains: [body], next_cursor: null });
  });

  await t.test('it counts with its own record, for the first who shows it', async (t) => {
    const { record } = (await as(owner, 'POST', path, { domain: 'acme.example' })).body;
    const { record: foreign } = (await as(rival, 'POST', otherPath, { domain: 'acme.example' })).body;
    t.not(foreign.value, record.value, 'each has a value of its own');
    const missing = { status: 422, body: { error_code: 'domain_record_missing', record, found: [] as string[] } };
    t.match(await as(owner, 'POST', `${path}/acme.example/verify`), missing);
    zone['_latchkey.acme.example'] = { txt: [foreign.value] };
    missing.body.found = [foreign.value];
    t.match(await as(owner, 'POST', `${path}/acme.example/verify`), missing, 'that of another proves nothing');
    t.same(await audited(), []);
    zone['_latchkey.acme.example'] = { txt: [foreign.value, record.value] };
    const tries = await Promise.all([
      as(owner, 'POST', `${path}/ACME.example/verify`),
      as(rival, 'POST', `${otherPath}/acme.example/verify`),
    ]);
    t.same(tries.map(({ status }) => status).sort(), [200, 409], 'one of two at the same moment');
    t.match(tries.map(({ body }) => body.error_code ?? body.status).sort(), ['domain_taken', 'verified']);
    t.same(await audited(), ['organization.domain_verified']);
    const [winner, winnersPath] = tries[0].status === 200 ? [owner, path] : [rival, otherPath];
    const again = await as(winner, 'POST', `${winnersPath}/acme.example/verify`);
    t.match(again, { status: 200, body: { status: 'verified' } });
    t.same(await audited(), ['organization.domain_verified'], 'once');
    t.equal((await as(winner, 'DELETE', `${winnersPath}/acme.example`)).status, 204);
    t.same(await audited(), ['organization.domain_verified', 'organization.domain_lost']);
    const [loser, losersPath] = winner === owner ? [rival, otherPath] : [owner, path];
    const next = await as(loser, 'POST', `${losersPath}/acme.example/verify`);
    t.equal(next.status, 200, 'it is free for the other one');
  });

  await t.test('nobody reaches the domain of another organization', async (t) => {
    for (const [method, tail] of [
      ['POST', '/verify'],
      ['DELETE', ''],
    ] as const) {
      const body = { error_code: 'domain_not_found' };
      t.match(await as(owner, method, `${path}/unknown.example${tail}`), { status: 404, body });
      const stranger = { status: 404, body: { error_code: 'organization_not_found' } };
      t.match(await as(owner, method, `${otherPath}/acme.example${tail}`), stranger);
    }
  });

  await t.test('an organization has 50 at most', async (t) => {
    await database.admin.query(
      "insert into organization_domains (organization_id, domain) select $1, 'd' || n || '.example' from generate_series(1, 50) n",
      [id],
    );
    const refused = { status: 422, body: { error_code: 'too_many_domains' } };
    t.match(await as(owner, 'POST', path, { domain: 'more.example' }), refused);
    t.equal((await as(owner, 'POST', path, { domain: 'd1.example' })).status, 201, 'one that is there is answered');
  });
});

t.test('off: there are no domains', async (t) => {
  const { as, join } = await openOrganizationServer(t, { ORGANIZATIONS_ENABLED: 'false' });
  const person = await join();
  const off = { status: 404, body: { error_code: 'feature_disabled' } };
  t.match(await as(person, 'GET', '/organizations/x/domains'), off);
  t.match(await as(person, 'POST', '/organizations/x/domains', { domain: 'a.example' }), off);
  t.match(await as(person, 'POST', '/organizations/x/domains/a.example/verify'), off);
  t.match(await as(person, 'DELETE', '/organizations/x/domains/a.example'), off);
});
