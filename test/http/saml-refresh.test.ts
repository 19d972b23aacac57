import { openDatabase } from '../../src/db/pool.js';
import { newEndWatch } from '../../src/server/saml/coming-ends.js';
import { startMetadataRefresh } from '../../src/server/saml/refresh-job.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { asAdmin } from '../support/admin.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

type JobApp = Parameters<typeof startMetadataRefresh>[0];

t.test('metadata is read again before it ends, and ends of certificates are told', async (t) => {
  const server = await openTestServer(t);
  const { admin: sql } = server.database;
  const admin = asAdmin(server);
  const idps = ['due', 'fresh', 'hourly', 'ending', 'disabled', 'broken'].map((name) => openFakeIdp(`${name}.example`));
  const url = (name: string) => `https://${name}.example/metadata`;
  for (const idp of idps) {
    const name = new URL(idp.entityId).hostname.replace('.example', '');
    const attributes = name === 'hourly' ? ' cacheDuration="PT1H"' : '';
    const { body } = await admin('POST', '/admin/sso/providers', {
      type: 'saml',
      metadata_xml: idp.metadata({ attributes }),
      resource_id: name,
    });
    const ages = {
      due: '25 hours',
      fresh: '20 hours',
      hourly: '50 minutes',
      ending: '1 hour',
      disabled: '25 hours',
      broken: '25 hours',
    };
    await sql.query(
      `update sso_providers set metadata_url = $2, metadata_refreshed_at = now() - $3::interval,
         metadata_tried_at = now() - $3::interval where id = $1`,
      [body.id, url(name), ages[name as keyof typeof ages]],
    );
  }
  await sql.query("update sso_providers set disabled = true where resource_id = 'disabled'");
  await sql.query(
    `update sso_providers set metadata = jsonb_set(metadata, '{valid_until}', to_jsonb(now() + interval '1 hour')),
       metadata_tried_at = now() - interval '11 minutes' where resource_id = 'ending'`,
  );
  await sql.query(
    `update sso_providers set metadata = jsonb_set(metadata, '{certificates,0,not_after}', to_jsonb(now() + interval '9 days'))
     where resource_id = 'fresh'`,
  );

  const quiet = (): void => undefined;
  const warnings: string[] = [];
  const warn = (fields: { entity_id?: string }, text: string) =>
    void warnings.push(`${fields.entity_id ?? ''} ${text}`);
  const log = { debug: quiet, info: quiet, warn };
  const db = openDatabase({ url: server.database.url, maxConnections: 2, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  const reader = loadSaml();
  const read: string[] = [];
  const ssoEnds = newEndWatch();
  const app = {
    db,
    log,
    ssoEnds,
    crypto: { readSamlMetadata: async (xml: string) => reader.readMetadata(xml) },
    samlMetadata: {
      async read(address: string) {
        read.push(address);
        if (address === url('broken')) return '<html/>';
        return idps.find(({ entityId }) => address.startsWith(new URL(entityId).origin))!.metadata();
      },
    },
  } as unknown as JobApp;
  const end = startMetadataRefresh(app, 10);
  t.teardown(end);
  await until(() => warnings.some((warning) => warning.includes('certificate')));
  await until(() => ssoEnds.counts.certificate === 1);
  end();

  t.same(read.sort(), ['broken', 'due', 'ending', 'hourly'].map(url), 'each once');
  const { rows } = await sql.query(
    `select resource_id, metadata_error is null as is_fine, metadata_refreshed_at > now() - interval '1 minute' as is_new
     from sso_providers where metadata_url = any($1) order by resource_id`,
    [read],
  );
  t.match(rows, [
    { resource_id: 'broken', is_fine: false, is_new: false },
    { resource_id: 'due', is_fine: true, is_new: true },
    { resource_id: 'ending', is_fine: true, is_new: true },
    { resource_id: 'hourly', is_fine: true, is_new: true },
  ]);
  const told = warnings.filter((warning) => warning.includes('certificate'));
  t.same(told, ['https://fresh.example/saml The certificate of an identity provider ends']);
});
