/** What is wrong with the identity provider of a company, as far as it shows without a sign-in. */
import { X509Certificate } from 'node:crypto';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { SamlCertificate, SamlMetadata, UnusableMetadata } from '../../workers/saml-wire.js';
import type { Config } from '../config/settings.js';
import type { Finding } from '../providers/stored/contract.js';
import { findComingEnds } from './coming-ends.js';
import { examineDomains } from './examine-domains.js';
import { findMetadataFault } from './metadata-faults.js';

/** Metadata is read again at least once a day. */
const STALE_MS = 2 * 86_400_000;
const MIN_RSA_BITS = 2048;

/** What was read just now from the address of the metadata. */
export type FreshMetadata = SamlMetadata | UnusableMetadata;

const fine = (text: string): Finding => ({ kind: 'fine', text });
const wrong = (text: string): Finding => ({ kind: 'wrong', text });
const hint = (text: string): Finding => ({ kind: 'hint', text });

export interface Examination {
  /** Null where the metadata has no address. */
  readonly fresh: FreshMetadata | null;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** All providers; the one that is examined may be among them. */
  readonly all: readonly SsoProviderRow[];
  readonly config: Pick<Config, 'samlRequireDomainProof' | 'samlAllowSha1'>;
}

export function examineSsoProvider(row: SsoProviderRow, { fresh, nowMs, all, config }: Examination): Finding[] {
  const read = fresh === null || 'fault' in fresh ? row.metadata : fresh;
  return [
    ...(row.disabled === true ? [hint('It is disabled: its sign-ins are refused until disabled is false.')] : []),
    ...examineDomains(row, all, config.samlRequireDomainProof),
    ...examineMetadata(row, fresh, nowMs),
    ...row.metadata.certificates.flatMap((certificate) => examineCertificate(row, certificate, nowMs)),
    ...examineAlgorithms(read, config.samlAllowSha1),
    ...examineAddresses(row.metadata),
    ...examineClaims(row),
  ];
}

function examineMetadata(row: SsoProviderRow, fresh: FreshMetadata | null, nowMs: number): Finding[] {
  const stored = findMetadataFault(row.metadata, nowMs);
  const found: Finding[] = stored === null ? [] : [wrong(`The stored metadata ${stored}: ${cureOf(row)}`)];
  const error = row.metadata_error ?? (fresh !== null && 'fault' in fresh ? fresh.fault : null);
  const end = findComingEnds({ ...row, metadata_error: error }, nowMs).find(({ what }) => what === 'metadata');
  if (stored === null && end !== undefined) found.push(hint(`The metadata ends on ${end.endsAt}: ${cureOf(row)}`));
  if (fresh === null)
    return [...found, hint('Its metadata has no address: a new certificate there needs an administrator here.')];
  if ('fault' in fresh) {
    return [
      ...found,
      wrong(`The metadata at ${row.metadata_url} ${fresh.fault}. Until it can be read, the stored copy counts.`),
    ];
  }
  const fault = findMetadataFault(fresh, nowMs);
  if (fault !== null) return [...found, wrong(`The metadata at ${row.metadata_url} ${fault}: have it mended there.`)];
  if (fresh.entity_id !== row.entity_id) {
    const text = `The metadata at ${row.metadata_url} is now of ${fresh.entity_id}, not of ${row.entity_id}: give the address of that one, or add it as a provider of its own.`;
    return [...found, wrong(text)];
  }
  found.push(fine(`The metadata at ${row.metadata_url} can be read.`));
  if (hasOtherKeys(row.metadata, fresh)) {
    found.push(hint('It has other certificates than the stored copy: read it again now (POST …/refresh_metadata).'));
  }
  if (nowMs - Date.parse(row.metadata_refreshed_at) > STALE_MS) {
    const why = row.metadata_error === null ? 'is a server running?' : `the last try failed: ${row.metadata_error}`;
    found.push(wrong(`It was read last on ${row.metadata_refreshed_at}, and should be once a day; ${why}`));
  }
  return found;
}

const cureOf = ({ metadata_url }: SsoProviderRow): string =>
  metadata_url === null
    ? 'give the new file of the provider (PUT /admin/sso/providers/{id} with metadata_xml).'
    : 'read it again (POST /admin/sso/providers/{id}/refresh_metadata).';

function hasOtherKeys(stored: SamlMetadata, fresh: SamlMetadata): boolean {
  const keysOf = ({ certificates }: SamlMetadata) => certificates.map(({ fingerprint }) => fingerprint).toSorted();
  return String(keysOf(stored)) !== String(keysOf(fresh));
}

function examineCertificate(row: SsoProviderRow, certificate: SamlCertificate, nowMs: number): Finding[] {
  const { fingerprint, not_after: end } = certificate;
  const name = `The certificate ${fingerprint.slice(0, 23)}…`;
  const found: Finding[] = [];
  const isLastToEnd = findComingEnds(row, nowMs).some(({ what, endsAt }) => what === 'certificate' && endsAt === end);
  if (Date.parse(end) <= nowMs) found.push(hint(`${name} ended on ${end}, and counts no more.`));
  else if (isLastToEnd) {
    found.push(hint(`${name} ends on ${end}: see that the provider publishes the next one before.`));
  } else found.push(fine(`${name} is valid until ${end}.`));
  const weakness = findWeakness(certificate);
  if (weakness !== null)
    found.push(wrong(`${name} ${weakness}: have the provider use an RSA key of ${MIN_RSA_BITS} bits.`));
  return found;
}

/** @returns completes a sentence about the certificate; null for none */
function findWeakness({ der }: SamlCertificate): string | null {
  const { publicKey } = new X509Certificate(Buffer.from(der, 'base64'));
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  if (publicKey.asymmetricKeyType !== 'rsa') return `has a key of the kind ${publicKey.asymmetricKeyType}`;
  return bits !== undefined && bits < MIN_RSA_BITS ? `has a key of only ${bits} bits` : null;
}

/** @param metadata says it as far as the provider does: many name no algorithm */
function examineAlgorithms({ signing_methods: named = [], signed_with }: SamlMetadata, allowsSha1: boolean): Finding[] {
  const cure = 'have it sign with RSA-SHA256';
  if (named.length > 0 && named.every(isSha1)) {
    const text = `It signs with SHA-1 only, as its metadata says: ${cure}`;
    if (allowsSha1) return [hint(`${text}; AUTH_SAML_ALLOW_SHA1 accepts that meanwhile.`)];
    return [wrong(`${text}, or set AUTH_SAML_ALLOW_SHA1=true until it does.`)];
  }
  const isLikely = named.length === 0 && !allowsSha1 && isSha1(signed_with ?? '');
  return isLikely
    ? [hint(`Its metadata is signed with SHA-1, and its answers may be, too, which are refused: ${cure}.`)]
    : [];
}

const isSha1 = (algorithm: string): boolean => algorithm.endsWith('sha1');

function examineAddresses({ sso_url, slo_redirect_url, slo_post_url }: SamlMetadata): Finding[] {
  const found = [
    sso_url.startsWith('https:')
      ? fine(`Browsers are sent to ${sso_url}`)
      : hint(`Browsers are sent to ${sso_url} without TLS: use https, except for trials on one machine.`),
  ];
  if (slo_redirect_url === null && slo_post_url === null) {
    found.push(hint('Its metadata names no address for log-out: signing out here leaves the session there.'));
  }
  return found;
}

function examineClaims({ attribute_mapping: mapping }: SsoProviderRow): Finding[] {
  const keys = (mapping['keys'] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(keys, 'email')
    ? []
    : [
        hint(
          'attribute_mapping has no email: the usual attributes are tried (mail, emailaddress, …), then a name id that is an address.',
        ),
      ];
}
