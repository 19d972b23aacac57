import { createHmac } from 'node:crypto';
import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { openFakeIdp, PERSISTENT, type ResponseOptions, signXml } from '../support/fake-saml-idp.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { t } from '../support/tap.js';

const saml = loadSaml();
const idp = openFakeIdp();
const ACS = 'https://auth.example.com/sso/saml/acs';
const AUDIENCE = 'https://auth.example.com/sso/saml/metadata';
const honest: ResponseOptions = {
  acsUrl: ACS,
  audience: AUDIENCE,
  requestId: 'id-1',
  attributes: { mail: 'ann@acme.example' },
};

const expected = {
  issuer: idp.entityId,
  audience: AUDIENCE,
  acsUrl: ACS,
  requestId: 'id-1' as string | null,
  clockSkewSeconds: 180,
  maxIssueDelaySeconds: 90,
  allowsSha1: false,
};

async function verify(xml: string, changes: Partial<typeof expected> = {}) {
  return saml.verify({
    response: Buffer.from(xml).toString('base64'),
    certificates: [idp.certificate],
    decryptionKeys: [],
    expected: { ...expected, nowMs: Date.now(), ...changes },
  });
}

/** What the response says of its subject; '' if it is refused. */
const subjectOf = (answer: Awaited<ReturnType<typeof verify>>): string =>
  answer.refusal === undefined ? (answer.nameId?.value ?? '') : '';

t.test('a signed response is read, whatever of it is signed', async (t) => {
  for (const signs of ['assertion', 'response', 'both'] as const) {
    for (const algorithm of ['sha256', 'sha512'] as const) {
      const answer = await verify(idp.write({ ...honest, signs, algorithm }));
      t.match(answer, { nameId: { value: 'person-1' }, sessionIndex: 'session-1' }, `${signs} ${algorithm}`);
    }
  }
  t.match(await verify(idp.write({ ...honest, signs: 'response', algorithm: 'sha1' }), { allowsSha1: true }), {
    nameId: { value: 'person-1' },
  });
});

const assertionOf = (xml: string): string => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)![0];
const withoutSignature = (xml: string): string => xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, '');
const signatureOf = (xml: string): string => /<ds:Signature .*?<\/ds:Signature>/s.exec(xml)![0];
const forge = (xml: string): string =>
  withoutSignature(xml)
    .replace('person-1', 'admin')
    .replace(/ ID="_/, ' ID="_evil');

/** "On Breaking SAML: Be Whoever You Want to Be" (USENIX Security 2012), figure 4, by number. */
const wrappings: Readonly<Record<string, { signs: 'assertion' | 'response'; wrap: (xml: string) => string }>> = {
  'XSW1: the response moves into the signature of a forged one': {
    signs: 'response',
    wrap: (xml) =>
      forge(xml).replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signatureOf(xml).replace('</ds:Signature>', `${withoutSignature(xml)}</ds:Signature>`)}`,
      ),
  },
  'XSW2: the response stands before the signature of a forged one': {
    signs: 'response',
    wrap: (xml) => forge(xml).replace('</saml:Issuer>', `</saml:Issuer>${withoutSignature(xml)}${signatureOf(xml)}`),
  },
  'XSW3: a forged assertion before the signed one': {
    signs: 'assertion',
    wrap: (xml) => xml.replace(assertionOf(xml), forge(assertionOf(xml)) + assertionOf(xml)),
  },
  'XSW4: the signed assertion within a forged one': {
    signs: 'assertion',
    wrap: (xml) =>
      xml.replace(
        assertionOf(xml),
        forge(assertionOf(xml)).replace('</saml:Assertion>', `${assertionOf(xml)}</saml:Assertion>`),
      ),
  },
  'XSW5: the signature moves to a forged assertion, the signed one to the end': {
    signs: 'assertion',
    wrap: (xml) => {
      const signed = assertionOf(xml);
      const forged = forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(signed)}`);
      return xml.replace(signed, forged + withoutSignature(signed));
    },
  },
  'XSW6: the same, with the signed one in the signature': {
    signs: 'assertion',
    wrap: (xml) => {
      const signed = assertionOf(xml);
      const signature = signatureOf(signed).replace('</ds:Signature>', `${withoutSignature(signed)}</ds:Signature>`);
      return xml.replace(signed, forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
    },
  },
  'XSW7: the signed assertion in Extensions, with the same ID': {
    signs: 'assertion',
    wrap: (xml) => {
      const signed = assertionOf(xml);
      const forged = withoutSignature(signed).replace('person-1', 'admin');
      return xml.replace(signed, `<samlp:Extensions>${signed}</samlp:Extensions>${forged}`);
    },
  },
  'XSW8: the signed assertion in an Object of the signature': {
    signs: 'assertion',
    wrap: (xml) => {
      const signed = assertionOf(xml);
      const signature = signatureOf(signed).replace(
        '</ds:Signature>',
        `<ds:Object>${withoutSignature(signed)}</ds:Object></ds:Signature>`,
      );
      return xml.replace(signed, forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
    },
  },
};

t.test('signed content that is wrapped is refused', async (t) => {
  for (const [name, { signs, wrap }] of Object.entries(wrappings)) {
    const xml = idp.write({ ...honest, signs });
    t.equal(subjectOf(await verify(xml)), 'person-1', `${name}: before`);
    const wrapped = wrap(xml);
    t.ok(wrapped !== xml && wrapped.includes('admin'), `${name}: it is forged`);
    t.match(await verify(wrapped), { refusal: /^(?:malformed|signature)$/ }, name);
  }
});

const other = takeRsaKey();
const later = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** name → what is written, and why it is refused */
const lies: Readonly<Record<string, readonly [Partial<ResponseOptions>, string]>> = {
  'nothing is signed': [{ signs: 'nothing' }, 'signature'],
  'a foreign key': [{ key: other }, 'signature'],
  'changed afterwards': [{ after: (xml) => xml.replace('person-1', 'admin') }, 'signature'],
  'SHA-1': [{ algorithm: 'sha1' }, 'algorithm'],
  'a comment in the digest': [
    { after: (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><!--AAAA-->') },
    'signature',
  ],
  'a second SignedInfo': [
    { after: (xml) => xml.replace(/(<ds:SignedInfo>.*?<\/ds:SignedInfo>)/s, '$1$1') },
    'signature',
  ],
  'two references': [{ after: (xml) => xml.replace(/(<ds:Reference .*?<\/ds:Reference>)/s, '$1$1') }, 'signature'],
  'a transform by XPath': [
    {
      after: (xml) =>
        xml.replace(/Algorithm="[^"]*enveloped-signature"/, 'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"'),
    },
    'algorithm',
  ],
  'another canonical form': [
    {
      after: (xml) =>
        xml.replace(
          /(<ds:CanonicalizationMethod Algorithm=")[^"]*/,
          '$1http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
        ),
    },
    'algorithm',
  ],
  'a reference to everything': [{ after: (xml) => xml.replace(/URI="#[^"]*"/, 'URI=""') }, 'signature'],
  'a certificate of its own beside a foreign key': [
    {
      key: other,
      after: (xml) =>
        xml.replace(
          '</ds:SignatureValue>',
          `</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${idp.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
        ),
    },
    'signature',
  ],
  'a foreign key with a certificate of its own': [
    {
      key: other,
      after: (xml) =>
        xml.replace(
          '</ds:SignatureValue>',
          `</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${makeSamlCertificate(other, 'evil.example', false).toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
        ),
    },
    'signature',
  ],
  'a document type': [{ after: (xml) => `<!DOCTYPE r [<!ENTITY e "x">]>${xml}` }, 'malformed'],
  'a document type after a comment': [{ after: (xml) => `<!-- --><!doctype r>${xml}` }, 'malformed'],
  'two assertions': [
    { after: (xml) => xml.replace(assertionOf(xml), assertionOf(xml) + assertionOf(idp.write(honest))) },
    'malformed',
  ],
  'no assertion': [{ after: (xml) => xml.replace(assertionOf(xml), '') }, 'malformed'],
  'an unknown entity': [{ after: (xml) => xml.replace('person-1', 'person-&x;') }, 'malformed'],
  'too deep': [
    { response: (xml) => xml.replace('<samlp:Status>', `${'<a>'.repeat(70)}${'</a>'.repeat(70)}<samlp:Status>`) },
    'malformed',
  ],
  'another audience': [{ audience: 'https://other.example.com' }, 'audience'],
  'no audience': [
    { assertion: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') },
    'audience',
  ],
  'no conditions': [{ assertion: (xml) => xml.replace(/<saml:Conditions .*<\/saml:Conditions>/, '') }, 'audience'],
  'two audiences, one of them foreign': [
    {
      assertion: (xml) =>
        xml.replace(
          '</saml:AudienceRestriction>',
          '</saml:AudienceRestriction><saml:AudienceRestriction><saml:Audience>https://other.example.com</saml:Audience></saml:AudienceRestriction>',
        ),
    },
    'audience',
  ],
  'an unknown condition': [
    { assertion: (xml) => xml.replace('</saml:Conditions>', '<saml:Condition></saml:Condition></saml:Conditions>') },
    'malformed',
  ],
  'another recipient': [{ recipient: 'https://other.example.com/acs' }, 'recipient'],
  'another destination': [{ destination: 'https://other.example.com/acs' }, 'destination'],
  'a signed response without destination': [{ signs: 'response', destination: null }, 'destination'],
  'another issuer': [{ issuer: 'https://evil.example/saml' }, 'issuer'],
  'another issuer of the assertion only': [
    { assertion: (xml) => xml.replace(idp.entityId, 'https://evil.example/saml') },
    'issuer',
  ],
  'another request': [{ requestId: 'id-2' }, 'response_to'],
  'no request': [{ requestId: undefined }, 'response_to'],
  'another request in the confirmation': [
    { assertion: (xml) => xml.replace('InResponseTo="id-1"', 'InResponseTo="id-2"') },
    'response_to',
  ],
  'a failure': [{ status: 'Responder' }, 'status'],
  'a failure whose assertion is fine': [{ signs: 'both', status: 'Requester' }, 'status'],
  'no subject': [{ assertion: (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, '') }, 'subject'],
  'no confirmation': [
    { assertion: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '') },
    'subject',
  ],
  'no data of the confirmation': [
    { assertion: (xml) => xml.replace(/<saml:SubjectConfirmationData .*<\/saml:SubjectConfirmationData>/, '') },
    'subject',
  ],
  'a confirmation without end': [
    { assertion: (xml) => xml.replace(/ NotOnOrAfter="[^"]*"( Recipient)/, '$1') },
    'expired',
  ],
  'a confirmation by a key': [{ assertion: (xml) => xml.replace('cm:bearer', 'cm:holder-of-key') }, 'subject'],
  'two names': [
    {
      assertion: (xml) =>
        xml.replace('<saml:SubjectConfirmation ', '<saml:NameID>admin</saml:NameID><saml:SubjectConfirmation '),
    },
    'subject',
  ],
  'from the future': [{ clockMs: 400_000 }, 'expired'],
  'issued too long ago': [{ clockMs: -120_000 }, 'expired'],
  'no longer valid': [
    { assertion: (xml) => xml.replace(/(<saml:Conditions [^>]*NotOnOrAfter=")[^"]*/, `$1${later(-200)}`) },
    'expired',
  ],
  'not yet valid': [
    { assertion: (xml) => xml.replace(/(<saml:Conditions NotBefore=")[^"]*/, `$1${later(200)}`) },
    'expired',
  ],
  'a session that has ended': [{ sessionNotOnOrAfter: later(-1) }, 'expired'],
  'a time that is none': [
    { assertion: (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="yesterday"') },
    'malformed',
  ],
  'nobody signed in': [
    { assertion: (xml) => xml.replace(/<saml:AuthnStatement .*<\/saml:AuthnStatement>/, '') },
    'malformed',
  ],
  'SAML 1.1': [{ response: (xml) => xml.replace('Version="2.0"', 'Version="1.1"') }, 'malformed'],
};

t.test('every lie is found, and named in the log only', async (t) => {
  for (const [name, [options, refusal]] of Object.entries(lies)) {
    const answer = await verify(idp.write({ ...honest, ...options }));
    t.match(answer, { refusal, detail: String }, name);
    t.notMatch(JSON.stringify(answer), /person-1|ann@acme|evil\.example/, `${name}: nothing of the message`);
  }
});

t.test('a leeway for clocks, and no more', async (t) => {
  const inLeeway = (xml: string) => xml.replace(/(<saml:Conditions [^>]*NotOnOrAfter=")[^"]*/, `$1${later(-170)}`);
  t.equal(subjectOf(await verify(idp.write({ ...honest, assertion: inLeeway }))), 'person-1');
  t.equal(subjectOf(await verify(idp.write({ ...honest, clockMs: 100_000 }))), 'person-1');
  t.equal(subjectOf(await verify(idp.write({ ...honest, clockMs: -80_000 }))), 'person-1');
  t.match(await verify(idp.write({ ...honest, clockMs: -20_000 }), { maxIssueDelaySeconds: 10 }), {
    refusal: 'expired',
  });
});

t.test('an HMAC with the public key is no signature', async (t) => {
  const xml = idp.write(honest);
  const hmac = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1';
  const info = /<ds:SignedInfo>.*?<\/ds:SignedInfo>/s
    .exec(xml)![0]
    .replace(/(<ds:SignatureMethod Algorithm=")[^"]*/, `$1${hmac}`);
  const canonical = info.replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">');
  const pem = `-----BEGIN CERTIFICATE-----\n${idp.certificate}\n-----END CERTIFICATE-----\n`;
  const value = createHmac('sha1', pem).update(canonical).digest('base64');
  const forged = xml
    .replace(/<ds:SignedInfo>.*?<\/ds:SignedInfo>/s, info)
    .replace(/<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${value}`);
  t.match(await verify(forged), { refusal: 'algorithm' });
});

t.test('a comment does not shorten a name', async (t) => {
  // CVE-2018-0489: readers took the first part, while the comment is not signed.
  const nameId = { value: 'admin.evil', format: PERSISTENT };
  const xml = idp.write({ ...honest, nameId, after: (text) => text.replace('admin.evil', 'admin<!-- -->.evil') });
  t.equal(subjectOf(await verify(xml)), 'admin.evil');
});

t.test('a signature of the response does not cover an assertion that is signed wrongly', async (t) => {
  const assertion = (xml: string) => signXml(xml, other);
  t.match(await verify(idp.write({ ...honest, signs: 'response', assertion })), { refusal: 'signature' });
});

t.test('what is no message at all', async (t) => {
  const read = (response: string) =>
    saml.verify({
      response,
      certificates: [idp.certificate],
      decryptionKeys: [],
      expected: { ...expected, nowMs: Date.now() },
    });
  for (const response of ['', '%%%', 'AAAA', Buffer.from([0xff, 0xfe, 0x3c]).toString('base64')]) {
    t.match(await read(response), { refusal: /^(?:unreadable|malformed)$/ }, response);
    t.match(saml.peek({ text: response, isDeflated: false }), { refusal: /^(?:unreadable|malformed)$/ }, response);
  }
  t.match(await read(Buffer.alloc(262_145, 'a').toString('base64')), { refusal: 'unreadable', detail: /256 KiB/ });
});

t.test('the most expensive messages are refused before the libraries see them', async (t) => {
  const fill = (text: string) => text.repeat(Math.floor(240_000 / text.length));
  const open = '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Version="2.0">';
  const pieces = ['<', '<!--', '<a', '<a b="', '<![CDATA[', '<?', '<a/>', '<a ID="1"/>', '<Assertion/>', '<a>'].map(
    fill,
  );
  const signed = idp.write(honest);
  const long = signed.replace('</samlp:Status>', `</samlp:Status>${fill('<a/>')}`);
  const attributes = signed.replace('<samlp:Status>', `<samlp:Status ${fill('a="" ')}>`);
  for (const xml of [...pieces, ...pieces.map((text) => `${open}${text}</samlp:Response>`), long, attributes]) {
    const answer = await verify(xml);
    t.match(
      answer,
      { refusal: 'malformed', detail: /incomplete|not closed|too (?:many|deep)|document type/ },
      xml.slice(0, 100),
    );
  }
});

t.test('only characters of XML are read, since the database takes no others', async (t) => {
  const spelled = {
    nul: '&#0;',
    respelled: '&#X41;',
    'no number': '&#a;',
    half: '&#xD800;',
    last: '&#65535;',
    beyond: '&#x110000;',
  };
  const raw = { 'raw nul': '\0', 'raw bell': '\x07', 'raw last': '\uffff' };
  for (const [name, character] of Object.entries({ ...spelled, ...raw })) {
    const issuer = idp.write(honest).replaceAll(idp.entityId, `https://idp${character}`);
    const peeked = await saml.peek({ text: Buffer.from(issuer).toString('base64'), isDeflated: false });
    t.match(peeked, { refusal: 'malformed' }, `issuer ${name}`);
    const signed = idp.write({ ...honest, assertion: (xml) => xml.replace('person-1', `person-1${character}`) });
    t.match(await verify(signed), { refusal: 'malformed' }, `name ${name}`);
  }
  const fine = idp.write({ ...honest, nameId: { value: 'Ä\u{1f600}\n', format: PERSISTENT }, signs: 'response' });
  t.equal(subjectOf(await verify(fine)), 'Ä\u{1f600}');
});

t.test('what hides in comments does not count for the depth', async (t) => {
  const hidden = `<!-->${'</a>'.repeat(900)}-->${'<b>'.repeat(900)}${'</b>'.repeat(900)}`;
  const deep = idp.write(honest).replace('<saml:Subject>', `${hidden}<saml:Subject>`);
  t.match(await verify(deep), { refusal: 'malformed', detail: 'it is too deep' });
});

t.test('times that no calendar here has are refused', async (t) => {
  t.match(await verify(idp.write({ ...honest, sessionNotOnOrAfter: '9999-12-31T23:59:59Z' })), {
    sessionIndex: 'session-1',
  });
  for (const sessionNotOnOrAfter of ['9999-12-31T23:59:59-00:01', '2999-01-01T24:00:01Z', '2999-13-01T00:00:00Z']) {
    t.match(await verify(idp.write({ ...honest, sessionNotOnOrAfter })), { refusal: 'malformed' }, sessionNotOnOrAfter);
  }
});
