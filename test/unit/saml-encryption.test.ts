import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import { loadSaml } from '../../src/workers/tasks/saml.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { t } from '../support/tap.js';
import type { XmlEncryption } from '../support/xml-encryption.js';

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const XMLENC11 = 'http://www.w3.org/2009/xmlenc11#';
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
const OAEP = `${XMLENC11}rsa-oaep`;

/** As node:crypto does not have it. */
const mixed = { digest: `${XMLENC}sha256`, maskHash: 'sha1', oaepHash: 'sha256' };

const saml = loadSaml();
const idp = openFakeIdp();
const makeKey = () => takeRsaKey();
const [own, next] = [makeKey(), makeKey()];
const pemOf = (key: typeof own): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const honest = { acsUrl: 'https://auth.example.com/acs', audience: 'https://auth.example.com' };
const encryptFor = makeSamlCertificate(own, 'auth.example.com', true).toString('base64');

function open(encryption: XmlEncryption, change = (xml: string) => xml, keys = [next, own]) {
  const xml = change(idp.write({ ...honest, nameId: { value: 'Änne', format: 'urn:x' }, encryptFor, encryption }));
  return saml.verify({
    response: Buffer.from(xml).toString('base64'),
    certificates: [idp.certificate],
    decryptionKeys: keys.map(pemOf),
    expected: {
      ...honest,
      issuer: idp.entityId,
      requestId: null,
      clockSkewSeconds: 180,
      maxIssueDelaySeconds: 90,
      allowsSha1: false,
      nowMs: Date.now(),
    },
  });
}

t.test('what identity providers encrypt is opened', async (t) => {
  const sha256 = { digest: `${XMLENC}sha256`, mask: `${XMLENC11}mgf1sha256`, oaepHash: 'sha256' };
  const ways: Readonly<Record<string, XmlEncryption>> = {
    'the first RSA-OAEP': {},
    'the same, with its digest': { digest: SHA1 },
    'RSA-OAEP of XML Encryption 1.1, as Keycloak has it': { transport: OAEP, ...sha256 },
    'with SHA-512': { transport: OAEP, digest: `${XMLENC}sha512`, mask: `${XMLENC11}mgf1sha512`, oaepHash: 'sha512' },
    'without digest and mask': { transport: OAEP },
    'the first RSA-OAEP with SHA-256, whose mask is SHA-1': mixed,
    'RSA-OAEP of XML Encryption 1.1 with two hashes': { ...mixed, transport: OAEP },
    'the key behind the data': { isKeyBeside: true },
    ...Object.fromEntries(
      (['aes128-cbc', 'aes256-cbc', 'aes128-gcm', 'aes256-gcm'] as const).map((content) => [content, { content }]),
    ),
  };
  for (const [name, encryption] of Object.entries(ways)) t.match(open(encryption), { nameId: { value: 'Änne' } }, name);
});

t.test('and what cannot be is refused with the reason', async (t) => {
  const refused: Readonly<Record<string, readonly [ReturnType<typeof open>, RegExp]>> = {
    'PKCS #1 1.5': [open({ transport: `${XMLENC}rsa-1_5` }), /not encrypted with RSA-OAEP/],
    'no transport': [open({ transport: '' }), /not encrypted with RSA-OAEP/],
    'another mask than it says': [open({ transport: OAEP, digest: `${XMLENC}sha256` }), /none of our keys/],
    'two hashes for another key': [open(mixed, undefined, [next]), /none of our keys/],
    'an unknown digest': [open({ transport: OAEP, digest: 'urn:x' }), /unknown DigestMethod/],
    'an unknown mask': [open({ transport: OAEP, mask: 'urn:x' }), /unknown MGF/],
    'another cipher': [open({}, (xml) => xml.replace('aes256-gcm', 'tripledes-cbc')), /algorithm of the encryption/],
    'a cipher of a shorter key': [open({}, (xml) => xml.replace('aes256-gcm', 'aes128-gcm')), /none of our keys/],
    'another key': [open({}, undefined, [next]), /none of our keys/],
    'no key': [open({}, undefined, []), /switched off/],
    'two keys': [open({}, (xml) => xml.replace(/<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s, '$&$&')), /one Encr/],
    'no data': [open({}, (xml) => xml.replace(/<xenc:CipherData>.*?<\/xenc:CipherData>/gs, '')), /none of our keys/],
    'a changed byte of GCM': [open({}, flipLast), /none of our keys/],
    'a changed byte of CBC': [open({ content: 'aes256-cbc' }, flipFirst), /./],
  };
  for (const [name, [answer, detail]] of Object.entries(refused)) {
    t.match(answer, { refusal: /^(?:encryption|signature|malformed)$/, detail }, name);
  }
});

/** Of the content, whose value is the last one. */
const flipLast = (xml: string) => flip(xml, xml.lastIndexOf('</xenc:CipherValue>') - 8);

/** The initialisation vector: one random byte in sixteen at the end would be padding, and what is before it unchanged. */
const flipFirst = (xml: string) => flip(xml, xml.indexOf('>', xml.lastIndexOf('<xenc:CipherValue')) + 1);

function flip(xml: string, at: number): string {
  return xml.slice(0, at) + (xml[at] === 'A' ? 'B' : 'A') + xml.slice(at + 1);
}
