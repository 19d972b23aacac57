/** latchkey check sso: what it says of stored and fresh metadata, certificates, domains and addresses. */
import { generateKeyPairSync } from 'node:crypto';
import type { SsoProviderRow } from '../../src/db/sso-providers.js';
import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import { examineSsoProvider } from '../../src/server/saml/examine-provider.js';
import type { SamlMetadata } from '../../src/workers/saml-wire.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { runCommand } from '../support/run-command.js';
import { openSamlFlow, samlSettings } from '../support/saml-flow.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const DAY_MS = 86_400_000;

t.test('check sso', async (t) => {
  const flow = await openSamlFlow(t);
  const idp = openFakeIdp();
  const check = (args: string[], settings: Record<string, string> = {}) =>
    runCommand(['check', 'sso', ...args], testEnvironment(flow.database.url, samlSettings(settings)), '/dev/null');

  await t.test('there is none yet', async (t) => {
    t.match(await check(['all']), { code: 2, err: /There is none yet/ });
  });

  const fields = {
    domains: ['acme.example'],
    resource_id: 'acme',
    attribute_mapping: { keys: { email: { name: 'mail' } } },
  };
  const { id } = (await flow.addProvider(idp, fields)).body;

  await t.test('by id, resource id and domain; nothing is wrong', async (t) => {
    for (const name of [id, 'resource_acme', 'ACME.example', 'all']) {
      const { code, out } = await check([name]);
      t.equal(code, 0, out);
      t.match(out, `${id}  ${idp.entityId}\n`);
      t.match(out, /fine {3}Addresses of acme\.example are led to it\./);
      t.match(out, /fine {3}The certificate [0-9A-F:]{23}… is valid until/);
      t.match(out, /hint {3}Its metadata has no address/);
      t.match(out, /entity id \(audience\) http:\/\/localhost:9999\/sso\/saml\/metadata/);
      t.match(out, /Nothing is wrong that can be seen without a browser\.\n$/);
    }
    const { ok, providers } = JSON.parse((await check([id, '--json'])).out);
    t.match({ ok, providers }, { ok: true, providers: [{ id, entity_id: idp.entityId, domains: ['acme.example'] }] });
  });

  await t.test('one that is not there, with those that are', async (t) => {
    for (const name of ['other.example', 'resource_none', '6a1c4b52-8f0e-4b0e-9d0e-2f6d5d1f0001']) {
      t.match(await check([name]), { code: 2, out: '', err: `There are ${id} (acme.example).` }, name);
    }
  });

  await t.test('off, or metadata that cannot be read any more', async (t) => {
    t.match(await check([id], { SAML_ENABLED: 'false' }), {
      code: 1,
      out: /wrong {2}Sign-in at companies is off: set AUTH_SAML_ENABLED=true/,
    });
    await flow.database.admin.query(
      "update sso_providers set metadata_url = 'https://127.0.0.1:1/metadata' where id = $1",
      [id],
    );
    t.match(await check([id]), {
      code: 1,
      out: /wrong {2}The metadata at https:\/\/127\.0\.0\.1:1\/metadata cannot be read: .*Until it can be read, the stored copy counts/,
    });
  });

  await t.test('what it makes of metadata', async (t) => {
    const row: SsoProviderRow = {
      ...{ id, resource_id: null, disabled: null, entity_id: idp.entityId, metadata_xml: '', options: {}, version: 1 },
      ...{ metadata_url: 'https://idp.example/metadata', metadata_error: null, name_id_format: null },
      metadata: loadSaml().readMetadata(idp.metadata()) as SamlMetadata,
      attribute_mapping: fields.attribute_mapping,
      ...{ domains: fields.domains, organization_id: null, roles: ['member'], role_mapping: [] },
      metadata_refreshed_at: new Date().toISOString(),
      metadata_tried_at: new Date().toISOString(),
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
    };
    const now = Date.now();
    const reader = loadSaml();
    const config = { samlRequireDomainProof: false, samlAllowSha1: false };
    const said = (changes: object, xml: string | null, nowMs = now, given: object = {}) => {
      const fresh = xml === null ? null : reader.readMetadata(xml);
      return examineSsoProvider({ ...row, ...changes }, { fresh, nowMs, all: [row], config, ...given })
        .filter(({ kind }) => kind !== 'fine')
        .map(({ kind, text }) => `${kind} ${text}`)
        .join('\n');
    };
    const end = Date.parse(row.metadata.certificates[0]!.not_after);
    t.equal(said({}, idp.metadata()).includes('wrong'), false);
    t.match(
      said({ disabled: true, domains: [], options: { enforced: true } }, null),
      /hint It is disabled: its sign-ins are refused until disabled is false\.\nwrong It is enforced and has no domains/,
    );
    const proofs = [{ domain: 'acme.example', proof: 'ab12', is_verified: false }];
    const pending = { domain_proofs: proofs };
    const needed = { config: { ...config, samlRequireDomainProof: true } };
    t.notMatch(said(pending, null), /not proven/, 'it counts all the same');
    t.match(
      said(pending, null, now, needed),
      /wrong The domain acme\.example is not proven.*TXT record _latchkey\.acme\.example with the value latchkey-domain=ab12, then POST \S+\/acme\.example\/verify/,
    );
    const proven = { domain_proofs: [{ ...proofs[0], is_verified: true }] };
    t.notMatch(said(proven, null, now, needed), /not proven/);
    t.match(said({ ...pending, options: { enforced: true } }, null, now, needed), /concerns no address/);
    const other = { ...row, id: 'other', domains: ['mail.acme.example', 'example', 'notacme.example'] };
    const overlaps = said({}, null, now, { all: [row, other] });
    t.match(overlaps, /hint mail\.acme\.example belongs to the provider other: addresses of it are led there/);
    t.match(overlaps, /hint example belongs to the provider other/);
    t.notMatch(overlaps, 'notacme');
    t.match(said({}, null, now, { all: [{ ...other, disabled: true }] }), /are refused, since that is disabled/);

    const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    const withMethods = (...methods: string[]) =>
      idp
        .metadata()
        .replace(
          '<IDPSSODescriptor',
          `<Extensions xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport">${methods.map((one) => `<alg:SigningMethod Algorithm="${one}"/>`).join('')}</Extensions>$&`,
        );
    t.match(
      said({}, withMethods(SHA1)),
      /wrong It signs with SHA-1 only, as its metadata says.*AUTH_SAML_ALLOW_SHA1=true/,
    );
    t.match(
      said({}, withMethods(SHA1), now, { config: { ...config, samlAllowSha1: true } }),
      /hint It signs with SHA-1 only/,
    );
    t.notMatch(said({}, withMethods(SHA1, SHA1.replace('sha1', 'sha256'))), 'SHA-1');
    t.notMatch(said({}, idp.metadata()), 'SHA-1', 'most do not say');
    const named = idp.metadata().replace('<EntityDescriptor ', '<EntityDescriptor ID="_1" ');
    const signed = (algorithm: 'sha1' | 'sha256') =>
      named.replace(
        '<IDPSSODescriptor',
        `${/<ds:Signature.*<\/ds:Signature>/s.exec(idp.write({ acsUrl: '', audience: '', algorithm }))![0]}$&`,
      );
    t.match(said({}, signed('sha1')), /hint Its metadata is signed with SHA-1, and its answers may be/);
    t.notMatch(said({}, signed('sha256')), 'SHA-1');
    t.match(said({}, '<html/>'), /wrong The metadata at https:\S+ /);
    t.match(
      said({}, openFakeIdp('other.example').metadata()),
      /wrong The metadata at \S+ is now of https:\/\/other\.example\/saml, not of/,
    );
    t.match(said({}, idp.metadata(), now + 3 * DAY_MS), /wrong It was read last on .* is a server running\?/);
    t.match(
      said({ metadata_error: 'HTTP 404 error' }, idp.metadata(), now + 3 * DAY_MS),
      /the last try failed: HTTP 404 error/,
    );
    t.match(
      said({}, idp.metadata(), end - 10 * DAY_MS),
      /hint The certificate .* ends on .*: see that the provider publishes the next one/,
    );
    t.match(
      said({}, null, end + DAY_MS),
      /wrong The stored metadata contains only certificates that have expired: read it again[\s\S]*ended on/,
    );
    const soon = {
      ...row.metadata,
      valid_until: new Date(now + DAY_MS).toISOString(),
      sso_url: 'http://idp.example/sso',
    };
    const within = { ...row.metadata, valid_until: new Date(now + 20 * DAY_MS).toISOString() };
    t.notMatch(said({ metadata: within }, idp.metadata()), 'metadata ends', 'it is read again before');
    t.match(said({ metadata: within }, '<html/>'), /hint The metadata ends on/, 'it cannot be read again');
    t.match(
      said({ metadata: soon, metadata_url: null, attribute_mapping: {} }, null),
      /hint The metadata ends on [\s\S]*without TLS[\s\S]*has no email/,
    );
    idp.changeKey();
    t.match(said({}, idp.metadata()), /hint It has other certificates than the stored copy/);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const weak = makeSamlCertificate(privateKey, 'idp.example', false).toString('base64');
    const { certificates } = loadSaml().readMetadata(idp.metadata({ certificates: [weak] })) as typeof row.metadata;
    t.match(said({ metadata: { ...row.metadata, certificates } }, null), /wrong .* has a key of only 1024 bits/);
  });
});
