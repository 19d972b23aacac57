/** Reads the metadata of an identity provider (SAML Metadata 2.0). */
import { X509Certificate } from 'node:crypto';
import type { SamlCertificate, SamlMetadata, UnusableMetadata } from '../saml-wire.js';
import { PROTOCOL, XMLDSIG } from './signatures.js';
import { readInstant } from './times.js';
import { childrenOf, everyElement, SamlError, textOf, type Xml, type XmlElement } from './xml.js';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const ALGORITHMS = 'urn:oasis:names:tc:SAML:metadata:algsupport';
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings:';

/** Of some federations: hundreds of contacts, logos and languages. */
const MAX_ELEMENTS = 20_000;

class MetadataFault extends Error {}

export function readMetadata(xml: Xml, text: string): SamlMetadata | UnusableMetadata {
  try {
    const root = xml.parse(text.replace(/^\ufeff/, '').trimStart(), MAX_ELEMENTS);
    return readEntity(findEntity(root), root);
  } catch (error) {
    if (error instanceof MetadataFault) return { fault: error.message };
    return { fault: error instanceof SamlError ? `cannot be read: ${error.message}` : 'cannot be read' };
  }
}

/** One entity, also in a list of one. */
function findEntity(root: XmlElement): XmlElement {
  if (root.namespaceURI === METADATA && root.localName === 'EntityDescriptor') return root;
  if (root.namespaceURI !== METADATA || root.localName !== 'EntitiesDescriptor') {
    throw new MetadataFault('is no SAML metadata: it must begin with EntityDescriptor');
  }
  const [first, ...more] = childrenOf(root, METADATA, 'EntityDescriptor');
  if (first === undefined || more.length > 0) throw new MetadataFault('must describe exactly one identity provider');
  return first;
}

function readEntity(entity: XmlElement, root: XmlElement): SamlMetadata {
  const entityId = (entity.getAttribute('entityID') ?? '').trim();
  if (entityId === '') throw new MetadataFault('does not contain an EntityID');
  if (entityId.length > 1024) throw new MetadataFault('contains an EntityID of more than 1024 characters');
  const [descriptor, ...more] = childrenOf(entity, METADATA, 'IDPSSODescriptor');
  if (descriptor === undefined) throw new MetadataFault('does not contain any IDPSSODescriptor');
  if (more.length > 0) throw new MetadataFault('contains multiple IDPSSODescriptors');
  if (!(descriptor.getAttribute('protocolSupportEnumeration') ?? PROTOCOL).split(/\s+/).includes(PROTOCOL)) {
    throw new MetadataFault('is of an identity provider without SAML 2.0');
  }
  const ssoUrl = addressOf(descriptor, 'SingleSignOnService', 'HTTP-Redirect');
  if (ssoUrl === null) throw new MetadataFault('contains no SingleSignOnService with the binding HTTP-Redirect');
  const certificates = readCertificates(descriptor);
  if (certificates.length === 0) throw new MetadataFault('contains no certificate for signing');
  const ends = [entity, descriptor].map((one) => readInstant(one, 'validUntil')).filter((end) => end !== null);
  const caches = [entity, descriptor].map(readCacheSeconds).filter((seconds) => seconds !== null);
  return {
    entity_id: entityId,
    sso_url: ssoUrl,
    slo_redirect_url: addressOf(descriptor, 'SingleLogoutService', 'HTTP-Redirect'),
    slo_post_url: addressOf(descriptor, 'SingleLogoutService', 'HTTP-POST'),
    slo_redirect_answer_url: addressOf(descriptor, 'SingleLogoutService', 'HTTP-Redirect', 'ResponseLocation'),
    slo_post_answer_url: addressOf(descriptor, 'SingleLogoutService', 'HTTP-POST', 'ResponseLocation'),
    certificates,
    valid_until: ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString(),
    cache_seconds: caches.length === 0 ? null : Math.min(...caches),
    signing_methods: readSigningMethods(entity, descriptor),
    signed_with: readOwnAlgorithm(root),
  };
}

/** Those of the role win over those of the entity (SAML Metadata Profile for Algorithm Support 2.4). */
function readSigningMethods(entity: XmlElement, descriptor: XmlElement): string[] {
  const [ofRole = [], ofEntity = []] = [descriptor, entity].map((one) =>
    childrenOf(one, METADATA, 'Extensions')
      .flatMap((extensions) => childrenOf(extensions, ALGORITHMS, 'SigningMethod'))
      .map((method) => method.getAttribute('Algorithm') ?? ''),
  );
  return ofRole.length > 0 ? ofRole : ofEntity;
}

function readOwnAlgorithm(root: XmlElement): string | null {
  const [signature] = childrenOf(root, XMLDSIG, 'Signature');
  const [info] = signature === undefined ? [] : childrenOf(signature, XMLDSIG, 'SignedInfo');
  const [method] = info === undefined ? [] : childrenOf(info, XMLDSIG, 'SignatureMethod');
  return method?.getAttribute('Algorithm') ?? null;
}

/** The first address of a service with that binding. */
function addressOf(
  descriptor: XmlElement,
  service: string,
  binding: string,
  attribute: 'Location' | 'ResponseLocation' = 'Location',
): string | null {
  const found = childrenOf(descriptor, METADATA, service).find(
    (one) => one.getAttribute('Binding') === BINDINGS + binding,
  );
  const isThere = found?.hasAttribute(attribute) || attribute === 'Location';
  if (found === undefined || !isThere) return null;
  const location = (found.getAttribute(attribute) ?? '').trim();
  const url = URL.canParse(location) ? new URL(location) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || location.length > 2048) {
    throw new MetadataFault(`contains a ${service} whose address is no https URL`);
  }
  return location;
}

function readCertificates(descriptor: XmlElement): SamlCertificate[] {
  const found = new Map<string, SamlCertificate>();
  for (const key of childrenOf(descriptor, METADATA, 'KeyDescriptor')) {
    if (!['', 'signing'].includes(key.getAttribute('use') ?? '')) continue;
    const texts = everyElement(key).filter(
      ({ localName, namespaceURI }) => localName === 'X509Certificate' && namespaceURI === XMLDSIG,
    );
    for (const text of texts) {
      const certificate = readCertificate(textOf(text));
      found.set(certificate.fingerprint, certificate);
    }
  }
  return [...found.values()];
}

function readCertificate(text: string): SamlCertificate {
  try {
    const { fingerprint256, validTo, raw, publicKey } = new X509Certificate(Buffer.from(text, 'base64'));
    if (publicKey.asymmetricKeyType !== 'rsa') throw new MetadataFault('contains a certificate whose key is not RSA');
    if ((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < 1024) {
      throw new MetadataFault('contains a certificate whose key has fewer than 1024 bits');
    }
    return {
      der: raw.toString('base64'),
      fingerprint: fingerprint256,
      not_after: new Date(validTo).toISOString(),
    };
  } catch (error) {
    if (error instanceof MetadataFault) throw error;
    throw new MetadataFault('contains a certificate that cannot be read');
  }
}

/** xs:duration of days and less; months and years do not have a length. */
function readCacheSeconds(element: XmlElement): number | null {
  const text = element.getAttribute('cacheDuration') ?? '';
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text) ?? [];
  const all = [days, hours, minutes, seconds].map((part) => Number(part ?? 0));
  const total = all[0]! * 86_400 + all[1]! * 3600 + all[2]! * 60 + all[3]!;
  return total > 0 ? total : null;
}
