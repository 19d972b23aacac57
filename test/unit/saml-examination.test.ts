/** A response is read past its faults for operators, by the code of sign-ins, and decryption tells nothing by them. */
import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import type { SamlCheckName } from '../../src/workers/saml-wire.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { openFakeIdp, type ResponseOptions } from '../support/fake-saml-idp.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { t } from '../support/tap.js';

const saml = loadSaml();
const idp = openFakeIdp();
const own = takeRsaKey();
const pem = own.export({ type: 'pkcs8', format: 'pem' }) as string;
const encryptFor = makeSamlCertificate(own, 'auth.example.com', true).toString('base64');
const honest: ResponseOptions = {
  acsUrl: 'https://auth.example.com/sso/saml/acs',
  audience: 'https://auth.example.com/sso/saml/metadata',
  requestId: 'id-1',
  attributes: { mail: 'ann@acme.example' },
};

const jobFor = (response: string, passedOver: readonly SamlCheckName[] = [], keys = [pem]) => ({
  response,
  certificates: [idp.certificate],
  decryptionKeys: keys,
  passedOver,
  expected: {
    ...{ issuer: idp.entityId, audience: honest.audience, acsUrl: honest.acsUrl, requestId: 'id-1' },
    ...{ clockSkewSeconds: 180, maxIssueDelaySeconds: 90, allowsSha1: false, nowMs: Date.now() },
  },
});
const examine = (response: string, passedOver?: readonly SamlCheckName[], keys?: string[]) =>
  saml.examine(jobFor(response, passedOver, keys));
const faultsOf = ({ checks }: ReturnType<typeof examine>) =>
  checks.filter(({ fault }) => fault !== null).map(({ check }) => check);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const assertionOf = (xml: string): string => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)![0];

t.test('in whatever form it is pasted', async (t) => {
  const xml = idp.write(honest);
  const forms: Readonly<Record<string, string>> = {
    XML: `\n ${xml}\n`,
    base64: base64(xml),
    'base64 in lines': base64(xml).replace(/.{76}/g, '$&\r\n'),
    'a form': `RelayState=1&SAMLResponse=${encodeURIComponent(base64(xml))}&x=1`,
    'the tools of a browser': `SAMLResponse: ${base64(xml)}`,
    'the assertion alone': assertionOf(xml),
    'the assertion alone, in base64': base64(assertionOf(xml)),
  };
  for (const [name, form] of Object.entries(forms)) {
    const found = examine(form);
    t.same(faultsOf(found), [], name);
    t.match(
      found,
      { refusal: null, assertion: { nameId: { value: 'person-1' }, attributes: [{ name: 'mail' }] } },
      name,
    );
  }
});

t.test('what sign-ins refuse has a fault with the same reason, and is read nevertheless', async (t) => {
  const lies: Readonly<Record<string, Partial<ResponseOptions>>> = {
    unsigned: { signs: 'nothing' },
    'changed afterwards': { after: (xml) => xml.replace('person-1', 'admin') },
    'SHA-1': { algorithm: 'sha1' },
    'another issuer': { issuer: 'urn:other' },
    'another audience': { audience: 'urn:other' },
    'another recipient': { recipient: 'urn:other' },
    'another destination': { destination: 'urn:other' },
    'another request': { requestId: 'id-2' },
    old: { clockMs: -3_600_000 },
    'of the future': { clockMs: 3_600_000 },
    'another status': { status: 'Responder' },
    'an unknown condition': {
      assertion: (xml) => xml.replace('</saml:Conditions>', '<saml:Condition></saml:Condition>$&'),
    },
    'no end': { assertion: (xml) => xml.replace(/ NotOnOrAfter="[^"]*" Recipient/, ' Recipient') },
    'no conditions': { assertion: (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/s, '') },
    'no bearer': { assertion: (xml) => xml.replace('cm:bearer', 'cm:other') },
    'no statement': { assertion: (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/s, '') },
  };
  for (const [name, lie] of Object.entries(lies)) {
    const response = idp.respond({ ...honest, ...lie });
    const strict = saml.verify(jobFor(response));
    const found = examine(response);
    t.ok(strict.refusal, name);
    t.match(
      found.refusal,
      { refusal: strict.refusal, detail: (strict as { detail: string }).detail },
      `${name}: as a sign-in`,
    );
    t.ok(found.assertion !== null && faultsOf(found).length > 0, `${name}: read`);
  }
  const found = examine(idp.respond({ ...honest, audience: 'urn:other', recipient: 'urn:r', signs: 'nothing' }));
  t.same(faultsOf(found), ['signature', 'recipient', 'audience'], 'all of them');
  t.match(
    found.checks.filter(({ fault }) => fault !== null).map(({ found: text }) => text),
    [null, 'urn:r', 'urn:other'],
  );
  t.same(faultsOf(examine(idp.respond({ ...honest, requestId: 'id-2' }), ['response_to'])), [], 'passed over');
});

t.test('what cannot be read ends the reading', async (t) => {
  const texts: Readonly<Record<string, string>> = {
    'no base64': 'hello !',
    'no XML': base64('hello'),
    'a document type': `<!DOCTYPE r>${idp.write(honest)}`,
    metadata: idp.metadata(),
    'two assertions': idp.write(honest).replace(/<saml:Assertion .*<\/saml:Assertion>/s, '$&$&'),
    'too large': `<a>${'x'.repeat(262_144)}</a>`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const found = examine(text);
    t.match(found, { assertion: null, refusal: { detail: /./ } }, name);
    t.same(faultsOf(found), ['malformed'], name);
  }
});

t.test('an encrypted assertion is shown only if it is signed, and every other end is one answer', async (t) => {
  const sealed = (options: Partial<ResponseOptions> = {}) => idp.write({ ...honest, encryptFor, ...options });
  t.match(examine(sealed()), { refusal: null, assertion: { nameId: { value: 'person-1' } } });
  t.match(examine(sealed({ signs: 'response' })).assertion, { nameId: { value: 'person-1' } });
  const bare = /<saml:EncryptedAssertion.*<\/saml:EncryptedAssertion>/s.exec(sealed())![0];
  t.match(examine(bare).assertion, { nameId: { value: 'person-1' } }, 'alone');

  // Bytes that decrypt to something, to nothing, and to what is not signed, look alike.
  const flip = (xml: string, at: number): string => {
    const values = [...xml.matchAll(/<xenc:CipherValue>([^<]*)</g)];
    const value = values.at(-1)![1]!;
    const bytes = Buffer.from(value, 'base64');
    bytes[at < 0 ? bytes.length + at : at]! ^= 1;
    return xml.replace(value, bytes.toString('base64'));
  };
  const cbc = sealed({ encryption: { content: 'aes256-cbc' } });
  const answers = [
    ...[0, 5, 20, 40, -1, -17, -20].map((at) => examine(flip(cbc, at))),
    examine(flip(sealed(), 5)),
    examine(sealed({ signs: 'nothing' })),
    examine(sealed({ signs: 'nothing', assertion: () => 'no XML' })),
    examine(sealed({ signs: 'nothing', assertion: () => '<a></a>' })),
    examine(sealed({ signs: 'response' }).replace('Success', 'Succes5'), [], [pem]),
  ];
  const [first] = answers.map(({ checks }) => checks.find(({ check }) => check === 'encryption'));
  t.match(first, { fault: /none of our keys opens it, or what is in it is not signed/ });
  for (const [i, answer] of answers.entries()) {
    t.equal(answer.assertion, null, String(i));
    t.same(
      answer.checks.find(({ check }) => check === 'encryption'),
      first,
      String(i),
    );
  }
  t.same(faultsOf(examine(sealed(), [], [])), ['encryption'], 'without keys');
});
