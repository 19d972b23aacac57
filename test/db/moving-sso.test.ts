/** Companies with their SAML providers, domains and people move in from supabase/auth, and back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { EMAIL_FORMAT, type FakeSamlIdp, openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { type Moving, openMoving } from '../support/moving.js';
import { addPeerSsoProvider, addPeerSsoUser, type PeerSsoProvider } from '../support/peer-sso.js';
import { addPeerSession, addPeerTokens, addPeerUser } from '../support/peer-tables.js';
import { samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const NONE = { imported: 0, changed: 0, skipped: 0, kept: 0, refused: 0, gone: 0 };
const mapping = { keys: { email: { name: 'mail' } } };

const providerOf = (idp: FakeSamlIdp, more: Partial<PeerSsoProvider> = {}): PeerSsoProvider => ({
  entityId: idp.entityId,
  xml: idp.metadata(),
  ...more,
});
const verify = ({ users }: Moving) => users('import', '--from-gotrue', 'env:PEER_URL', '--verify');

t.test('a company signs in after the move, and after the way back', async (t) => {
  const moving = await openMoving(t, samlSettings());
  const { at, database, move, users } = moving;
  const { admin } = database;
  const flow = samlFlowOn(moving);
  const [acme, beta, lost] = [openFakeIdp(), openFakeIdp('idp.beta.example'), openFakeIdp('idp.lost.example')];
  const email = freshEmail();
  const acmeId = await addPeerSsoProvider(
    admin,
    providerOf(acme, {
      domains: ['Acme.Example', 'acme.org'],
      provider: { resource_id: 'Acme-1' },
      saml: { attribute_mapping: mapping, name_id_format: PERSISTENT },
    }),
  );
  const betaId = await addPeerSsoProvider(
    admin,
    providerOf(beta, {
      domains: ['beta.example'],
      provider: { disabled: true },
      saml: { name_id_format: EMAIL_FORMAT },
    }),
  );
  const lostId = await addPeerSsoProvider(admin, providerOf(lost));
  const userId = await addPeerSsoUser(admin, acmeId, 'ann', email);
  await addPeerUser(admin, email);
  const sessionId = await addPeerSession(admin, userId);
  await admin.query(`update auth.mfa_amr_claims set authentication_method = 'sso/saml' where session_id = $1`, [
    sessionId,
  ]);
  const [token] = await addPeerTokens(admin, sessionId);

  t.match(await verify(moving), { code: 1, err: new RegExp(`sso provider ${acmeId} is not here`) });
  t.match(await move(), {
    code: 0,
    err: '',
    report: { accounts: { imported: 2 }, sso_providers: { ...NONE, imported: 3 }, sessions: { imported: 1 } },
  });
  const stored = async () => (await admin.query('select * from sso_providers order by id')).rows;
  const first = await stored();
  t.match(await move(), { code: 0, report: { sso_providers: { ...NONE, skipped: 3 } } });
  t.same(await stored(), first, 'a second run changes nothing');
  t.match(await verify(moving), { code: 0, err: '' });

  const { body: seen } = await flow.admin('GET', `/admin/sso/providers/resource_Acme-1`);
  t.match(seen, {
    ...{ id: acmeId, disabled: null, created_at: '2026-01-01T10:00:00.123456Z' },
    saml: {
      entity_id: acme.entityId,
      attribute_mapping: mapping,
      name_id_format: PERSISTENT,
      metadata_xml: acme.metadata(),
    },
    domains: [{ domain: 'acme.example' }, { domain: 'acme.org' }],
  });
  const person = { nameId: { value: 'ann', format: PERSISTENT }, attributes: { mail: email } };
  const landing = await flow.signIn(acme, { domain: 'ACME.example' }, person);
  t.equal(decodeJwt(landing.fragment.get('access_token')!).sub, userId, 'the account that moved in');
  t.match(await moving.post('/sso', { domain: 'beta.example' }), { body: { error_code: 'sso_provider_disabled' } });
  const { body: refreshed } = await moving.refresh(token!);
  t.match(decodeJwt(refreshed.access_token), { sub: userId, amr: [{ method: 'sso/saml', provider: acmeId }] });

  t.equal((await flow.admin('DELETE', `/admin/sso/providers/${lostId}`)).status, 200);
  await flow.admin('PUT', `/admin/sso/providers/${acmeId}`, { domains: ['acme.org', 'new.example'], enforced: true });
  t.match((await move()).report, { sso_providers: { ...NONE, skipped: 2, kept: 1 } }, 'what changed here stays');
  const file = join(at, 'back.sql');
  const back = await users('export', '--to-gotrue', file);
  t.match(back, { code: 0, err: /2 SSO providers/ });
  t.match(back.err, `sso provider ${acmeId}: enforced is not known there`);
  const script = readFileSync(file, 'utf8');
  await admin.query(script);
  await admin.query(script);
  const there = await admin.query(`
    select p.id, p.resource_id, p.disabled, s.entity_id, s.attribute_mapping, s.name_id_format, s.metadata_xml,
      array(select d.domain from auth.sso_domains d where d.sso_provider_id = p.id order by d.domain) as domains
    from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id order by s.entity_id`);
  t.match(there.rows, [
    {
      ...{ id: acmeId, resource_id: 'Acme-1', disabled: null, entity_id: acme.entityId, attribute_mapping: mapping },
      ...{ name_id_format: null, metadata_xml: acme.metadata(), domains: ['acme.org', 'new.example'] },
    },
    { id: betaId, disabled: true, name_id_format: EMAIL_FORMAT, domains: ['beta.example'] },
  ]);
  t.equal(there.rows.length, 2, 'what was deleted here is deleted there');
  const lines = (await users('export', '--to-gotrue', '-', '--format', 'ndjson')).out.trim().split('\n');
  const objects = lines.map((line) => JSON.parse(line));
  t.ok(objects.some((one) => one.table === 'sso_domains' && one.delete?.sso_provider_id === acmeId));

  await admin.query('delete from sso_providers; delete from moved_sso_providers; delete from saml_assertions');
  t.match((await move()).report, { sso_providers: { ...NONE, imported: 2 } });
  const again = await flow.signIn(acme, { domain: 'new.example' }, person);
  t.equal(decodeJwt(again.fragment.get('access_token')!).sub, userId);
});

t.test('a second run brings what has changed there', async (t) => {
  const moving = await openMoving(t, samlSettings());
  const { database, move } = moving;
  const { admin } = database;
  const idps = Array.from({ length: 4 }, (_, number) => openFakeIdp(`idp${number}.example`));
  const ids: string[] = [];
  for (const [number, idp] of idps.entries()) {
    const more = { domains: [`d${number}.example`], saml: { metadata_url: `https://idp${number}.example/metadata` } };
    ids.push(await addPeerSsoProvider(admin, providerOf(idp, more)));
  }
  const [edited, fetchedThere, fetchedHere, gone] = ids as [string, string, string, string];
  const userId = await addPeerSsoUser(admin, gone, 'bob', freshEmail());
  t.match((await move()).report, { sso_providers: { ...NONE, imported: 4 } });
  await admin.query('insert into sessions (user_id, sso_provider_id) values ($1, $2)', [userId, gone]);

  await admin.query('update auth.sso_providers set disabled = true, updated_at = now() where id = $1', [edited]);
  await admin.query(
    `update auth.saml_providers set attribute_mapping = $2, metadata_xml = $3, updated_at = now() where sso_provider_id = $1`,
    [...[edited, mapping, `${idps[0]!.metadata()}<!-- newer -->`]],
  );
  await admin.query(`update auth.sso_domains set domain = 'D0-new.example' where sso_provider_id = $1`, [edited]);
  await admin.query('update auth.saml_providers set metadata_xml = $2, updated_at = now() where sso_provider_id = $1', [
    ...[fetchedThere, `${idps[1]!.metadata()}<!-- newer -->`],
  ]);
  await admin.query('update auth.sso_providers set disabled = false where id = $1', [fetchedHere]);
  await admin.query(
    `update sso_providers set metadata_xml = 'read here', metadata_refreshed_at = now() where id = $1`,
    [fetchedHere],
  );
  await admin.query('delete from auth.sso_providers where id = $1', [gone]);
  const { report, err } = await move();
  t.same(report.sso_providers, { ...NONE, skipped: 1, changed: 2, gone: 1 }, err);
  const { rows } = await admin.query(
    'select *, (select d.domain from sso_domains d where d.provider_id = p.id) from sso_providers p',
  );
  t.equal(rows.length, 3);
  const rowOf = (id: string) => rows.find((row) => row.id === id);
  t.match(rowOf(edited), { disabled: true, attribute_mapping: mapping, domain: 'd0-new.example' });
  t.match(rowOf(edited).metadata_xml, /newer/);
  t.match(rowOf(fetchedHere), { disabled: false, metadata_xml: 'read here' }, 'it is newer than what is there');
  t.same((await admin.query('select 1 from sessions')).rows, []);
  t.equal((await admin.query('select 1 from users')).rows.length, 1, 'accounts stay');
});

t.test('what is refused, with the cure, and its people still come', async (t) => {
  const moving = await openMoving(t, samlSettings());
  const { database, move } = moving;
  const { admin } = database;
  const flow = samlFlowOn(moving);
  const here = openFakeIdp('here.example');
  const { body: own } = await flow.addProvider(here, { domains: ['taken.example'], resource_id: 'taken' });
  const idp = (name: string) => providerOf(openFakeIdp(`${name}.example`));
  const expired = idp('expired');
  const html = await addPeerSsoProvider(admin, { entityId: 'https://html.example', xml: '<html></html>' });
  const old = await addPeerSsoProvider(admin, {
    ...expired,
    xml: expired.xml.replace(' entityID', ' validUntil="2020-01-01T00:00:00Z" entityID'),
  });
  const clash = await addPeerSsoProvider(admin, { ...idp('clash'), domains: ['Taken.Example'] });
  const twice = [
    await addPeerSsoProvider(admin, { ...idp('one'), domains: ['twice.example'] }),
    await addPeerSsoProvider(admin, { ...idp('two'), domains: ['TWICE.example.'] }),
  ];
  const entity = await addPeerSsoProvider(admin, providerOf(here));
  const named = await addPeerSsoProvider(admin, { ...idp('named'), provider: { resource_id: 'taken' } });
  const odd = await addPeerSsoProvider(admin, { ...idp('odd'), domains: ['@acme.example'] });
  const mapped = await addPeerSsoProvider(admin, { ...idp('mapped'), saml: { attribute_mapping: { keys: { a: 1 } } } });
  await addPeerSsoUser(admin, html, 'ann', freshEmail());
  await admin.query(
    `insert into auth.saml_relay_states (id, sso_provider_id, request_id, created_at) values (gen_random_uuid(), $1, 'r', now())`,
    [html],
  );
  const { code, err, report } = await move();
  t.equal(code, 1);
  t.match(report, {
    accounts: { imported: 1 },
    sso_providers: { ...NONE, imported: 1, refused: 8 },
    staying: { company_sign_ins: 1 },
  });
  t.match(
    err,
    `sso provider ${html}: SAML Metadata is no SAML metadata: it must begin with EntityDescriptor: change it there`,
  );
  t.match(
    err,
    `sso provider ${old}: SAML Metadata has expired: it was valid until 2020-01-01T00:00:00.000Z: change it there`,
  );
  t.match(err, `sso provider ${clash}: provider ${own.id} here has its domain taken.example, whatever the case`);
  t.match(err, new RegExp(`sso provider (${twice.join('|')}): .*twice\\.example|taken meanwhile`));
  t.match(err, `sso provider ${entity}: another provider here has its entity id`);
  t.match(err, `sso provider ${named}: another provider here has its resource_id`);
  t.match(err, `sso provider ${odd}: domains must be names such as example.com, not @acme.example`);
  t.match(err, `sso provider ${mapped}: attribute_mapping.keys.a must be an object`);

  // With an address it is read again after the import.
  await admin.query(
    `update auth.saml_providers set metadata_url = 'https://expired.example/m' where sso_provider_id = $1`,
    [old],
  );
  await admin.query(`update auth.saml_providers set metadata_xml = $2, entity_id = $3 where sso_provider_id = $1`, [
    ...[html, idp('html').xml, 'https://html.example/saml'],
  ]);
  const next = await move();
  t.match(next.report, { accounts: { imported: 0 }, sso_providers: { imported: 2, refused: 6 } });
});

t.test('an older release without such tables is named', async (t) => {
  const { database, move } = await openMoving(t);
  await database.admin.query('drop table auth.saml_relay_states, auth.saml_providers');
  t.match(await move(), { code: 0, err: /no tables sso_providers, saml_providers and sso_domains/ });
});
