/** Answers of the identity provider of `latchkey dev` are read strictly, and each of its faults is refused for its reason. */
import { deflateRawSync } from 'node:zlib';
import { PROVIDER_ENTITY_ID } from '../../src/dev/identity-provider/addresses.js';
import { type ResponseFault, readFault, responseFaults } from '../../src/dev/identity-provider/faults.js';
import { indentXml, openMessageTrace } from '../../src/dev/identity-provider/message-trace.js';
import { companyMapping, companyPeople } from '../../src/dev/identity-provider/people.js';
import { keepProviderKey, makeUnknownKey } from '../../src/dev/identity-provider/provider-key.js';
import { renderProviderMetadata } from '../../src/dev/identity-provider/provider-metadata.js';
import { readAuthnRequest } from '../../src/dev/identity-provider/received-request.js';
import { type ResponseContent, writeResponse } from '../../src/dev/identity-provider/response.js';
import { apiError } from '../../src/server/errors.js';
import { readSamlKey } from '../../src/server/keys/saml-key.js';
import { readSamlPerson } from '../../src/server/saml/mapping.js';
import { nameIdFormats } from '../../src/server/saml/name-id-formats.js';
import { logCodeOf } from '../../src/server/saml/received-message.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { asQuery } from '../support/fake-saml-logout.js';
import { newSamlKey } from '../support/saml-keys.js';
import { t } from '../support/tap.js';

const saml = loadSaml();
const [acsUrl, audience] = ['https://auth.example.com/sso/saml/acs', 'https://auth.example.com/sso/saml/metadata'];
const [ada, grace] = [companyPeople[0]!, companyPeople[1]!];

t.test('answers of the identity provider of latchkey dev', async (t) => {
  const directory = t.testdir({});
  const [key, unknown] = await Promise.all([keepProviderKey(directory), makeUnknownKey()]);
  const write = (changes: Partial<ResponseContent> = {}) => {
    const content = { person: ada, audience, acsUrl, requestId: 'id-1', nameIdFormat: null, fault: null, ...changes };
    const { pem } = content.fault === 'other-key' ? unknown : key;
    return writeResponse(content, async (text) => saml.sign({ text, isXml: true, key: pem }));
  };
  const verify = (xml: string, requestId: string | null = 'id-1') =>
    saml.verify({
      response: Buffer.from(xml).toString('base64'),
      certificates: [key.certificate],
      decryptionKeys: [],
      expected: {
        ...{ issuer: PROVIDER_ENTITY_ID, audience, acsUrl, requestId, nowMs: Date.now() },
        ...{ clockSkewSeconds: 180, maxIssueDelaySeconds: 90, allowsSha1: false },
      },
    });

  await t.test('without a fault they say who it is, in each format', async (t) => {
    const found = await verify(await write());
    if (found.refusal !== undefined) throw new Error(found.detail);
    t.match(readSamlPerson(found, companyMapping), {
      subject: ada.subject,
      email: 'ada@company.example',
      claims: { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' },
      trustedClaims: { groups: ['engineering', 'administrators'] },
      shortened: [],
    });
    const begun = await verify(await write({ person: grace, requestId: null }), null);
    t.match(begun, { nameId: { value: grace.subject, format: nameIdFormats.persistent } });
    t.match(await verify(await write({ nameIdFormat: nameIdFormats.emailAddress })), {
      nameId: { value: 'ada@company.example', format: nameIdFormats.emailAddress },
    });
    t.match(await verify(await write({ nameIdFormat: nameIdFormats.transient })), {
      nameId: { format: nameIdFormats.transient },
    });
    t.equal((await keepProviderKey(directory)).certificate, key.certificate, 'the key is kept');
  });

  await t.test('each fault is refused for its reason', async (t) => {
    for (const [name, { code }] of Object.entries(responseFaults)) {
      const found = await verify(await write({ fault: name as ResponseFault }));
      if (name === 'no-address') {
        if (found.refusal !== undefined) throw new Error(found.detail);
        t.throws(() => readSamlPerson(found, companyMapping), apiError('samlEmailMissing'));
        t.equal(apiError('samlEmailMissing').errorCode, code);
      } else t.equal(found.refusal === undefined ? 'accepted' : logCodeOf(found), code, name);
      t.equal(readFault(name), name);
    }
    const begun = await verify(await write({ fault: 'response-to', requestId: null }), null);
    t.match(begun, { refusal: 'response_to' });
    t.same([readFault(''), readFault('toString'), readFault(undefined)], [null, null, null]);
  });

  await t.test('the metadata is what the server takes', async (t) => {
    t.match(saml.readMetadata(renderProviderMetadata('https://auth.example.com/v1', key.certificate)), {
      entity_id: PROVIDER_ENTITY_ID,
      sso_url: 'https://auth.example.com/v1/dev/identity-provider/sso',
      slo_redirect_url: 'https://auth.example.com/v1/dev/identity-provider/slo',
      certificates: [{ der: key.certificate }],
    });
  });

  await t.test('only requests that the server has signed are answered', async (t) => {
    const own = readSamlKey(newSamlKey());
    const pem = own.export({ type: 'pkcs1', format: 'pem' }) as string;
    const xml = `<samlp:AuthnRequest ID="id-7"><samlp:NameIDPolicy Format="${nameIdFormats.transient}"/></samlp:AuthnRequest>`;
    const signed = asQuery('SAMLRequest', xml, { key: own, relayState: 'r' });
    t.match(readAuthnRequest(signed, pem), {
      ...{ xml, isGenuine: true, id: 'id-7', relayState: 'r', nameIdFormat: nameIdFormats.transient },
    });
    const other = `SAMLRequest=${encodeURIComponent(deflateRawSync(xml.replace('7', '8')).toString('base64'))}`;
    const refused = [
      asQuery('SAMLRequest', xml, { key: readSamlKey(newSamlKey()) }),
      ...[other, `${other}&${signed}`, `${signed}&${other}`, signed.replace('RelayState=r', 'RelayState=s')],
      asQuery('SAMLRequest', '<samlp:LogoutRequest ID="id-7"/>', { key: own }),
      ...['', 'SAMLRequest=%', 'SAMLRequest=AAAA'],
    ];
    for (const query of refused)
      t.match(readAuthnRequest(query, pem), { isGenuine: false, id: '', nameIdFormat: null });
  });
});

t.test('the trace shows one element a line, the newest message first, and forgets', async (t) => {
  t.equal(
    indentXml('<?xml version="1.0"?>\n<a:b x="1"><c>text</c><d/><c><c-d x="1"/></c><c><e></e></c></a:b>\n'),
    '<?xml version="1.0"?>\n<a:b x="1">\n  <c>text</c>\n  <d/>\n  <c>\n    <c-d x="1"/>\n  </c>\n  <c>\n    <e></e>\n  </c>\n</a:b>',
  );
  t.equal(indentXml('no xml'), '');
  const trace = openMessageTrace();
  const base = { isReceived: true, binding: 'HTTP-POST', note: '', relayState: '' } as const;
  for (let i = 0; i < 40; i++) trace.add({ ...base, xml: `<samlp:Response n="${i}"/>` });
  trace.add({ ...base, xml: '' });
  t.equal(trace.list().length, 30);
  t.match(trace.list()[0], { kind: 'unreadable' });
  t.match(trace.list()[1], { kind: 'Response', xml: '<samlp:Response n="39"/>' });
});
