import { loadSaml } from '../../src/workers/tasks/saml.js';
import { makeCertificate } from '../support/certificate.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { t } from '../support/tap.js';

const saml = loadSaml();
const idp = openFakeIdp();
const honest = idp.metadata();

t.test('metadata of an identity provider', async (t) => {
  const attributes = ' validUntil="2099-01-01T00:00:00Z" cacheDuration="PT1H30M"';
  t.match(saml.readMetadata(idp.metadata({ attributes })), {
    entity_id: idp.entityId,
    sso_url: 'https://idp.acme.example/sso?tenant=1',
    certificates: [{ der: idp.certificate, not_after: '2170-01-01T00:00:00.000Z' }],
    valid_until: '2099-01-01T00:00:00.000Z',
    cache_seconds: 5400,
  });
  const second = openFakeIdp().certificate;
  const two = saml.readMetadata(idp.metadata({ certificates: [idp.certificate, second, second] }));
  t.equal('certificates' in two && two.certificates.length, 2, 'each certificate once');
  const list = `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${honest.replace(/<\?.*?\?>/, '')}</EntitiesDescriptor>`;
  t.match(saml.readMetadata(list), { entity_id: idp.entityId }, 'a list of one');
  t.match(saml.readMetadata(`\ufeff\n${honest}`), { entity_id: idp.entityId }, 'white space before it');
});

const ec = makeCertificate('idp.acme.example').cert.replace(/-----[^-]*-----|\s/g, '');

/** name → metadata, and what is said about it */
const faults: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a page': ['<html><body>Sign in</body></html>', /must begin with EntityDescriptor/],
  'no XML': ['{"issuer":"https://idp.acme.example"}', /cannot be read/],
  nothing: ['', /cannot be read/],
  'cut off': [honest.slice(0, 300), /cannot be read/],
  'a document type': [`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${honest}`, /document type/],
  'no entity id': [honest.replace(/entityID="[^"]*"/, ''), /does not contain an EntityID/],
  'a service provider': [
    honest.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'),
    /does not contain any IDPSSODescriptor/,
  ],
  'two roles': [
    honest.replace(/(<IDPSSODescriptor.*<\/IDPSSODescriptor>)/s, '$1$1'),
    /contains multiple IDPSSODescriptors/,
  ],
  'an end that the database cannot have': [
    idp.metadata({ attributes: ' validUntil="9999-12-31T23:59:59-00:01"' }),
    /cannot be read: validUntil is no time/,
  ],
  'no certificate': [idp.metadata({ certificates: [] }), /no certificate for signing/],
  'a certificate for encryption only': [
    honest.replace('use="signing"', 'use="encryption"'),
    /no certificate for signing/,
  ],
  'a broken certificate': [idp.metadata({ certificates: ['AAAA'] }), /certificate that cannot be read/],
  'a certificate that is not RSA': [idp.metadata({ certificates: [ec] }), /key is not RSA/],
  'no redirect': [honest.replace('HTTP-Redirect', 'SOAP'), /HTTP-Redirect/],
  'an address that is a script': [honest.replace(/Location="[^"]*"/, 'Location="javascript:alert(1)"'), /no https URL/],
  'SAML 1.1 only': [
    honest.replace(
      /protocolSupportEnumeration="[^"]*"/,
      'protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol"',
    ),
    /without SAML 2\.0/,
  ],
};

t.test('metadata that cannot be used says why', async (t) => {
  for (const [name, [xml, fault]] of Object.entries(faults)) t.match(saml.readMetadata(xml), { fault }, name);
});
