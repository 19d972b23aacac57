/** What is wrong with the identity provider of a company, as far as it shows without a sign-in. */
import { X509Certificate } from 'node:crypto';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { SamlCertificate, SamlMetadata, UnusableMetadata } from '../../workers/saml-wire.js';
import type { Finding } from '../providers/stored/contract.js';
import { findMetadataFault } from './metadata-faults.js';

/** As long before an end as the log warns of it. */
const WARN_MS = 30 * 86_400_000;
/** Metadata is read again at least once a day. */
const STALE_MS = 2 * 86_400_000;
const MIN_RSA_BITS = 2048;

/** What was read just now from the address of the metadata. */
export type FreshMetadata = SamlMetadata | UnusableMetadata;

const fine = (text: string): Finding => ({ kind: 'fine', text });
const wrong = (text: string): Finding => ({ kind: 'wrong', text });
const hint = (text: string): Finding => ({ kind: 'hint', text });

/**
 * @param fresh null where the metadata has no address
 * @param nowMs milliseconds since the epoch
 */
export function examineSsoProvider(row: SsoProviderRow, fresh: FreshMetadata | null, nowMs: number): Finding[] {
  return [
    ...examineState(row),
    ...examineMetadata(row, fresh, nowMs),
    ...row.metadata.certificates.flatMap((certificate) => examineCertificate(certificate, nowMs)),
    ...examineAddresses(row.metadata),
    ...examineClaims(row),
  ];
}

function examineState({ disabled, domains, options }: SsoProviderRow): Finding[] {
  const found: Finding[] = [];
  if (disabled === true) found.push(hint('It is disabled, so nobody signs in with it: set disabled to false.'));
  if (domains.length > 0) found.push(fine(`Addresses of ${domains.join(', ')} are led to it.`));
  else if (options.enforced === true)
    found.push(wrong('It is enforced and has no domains, so it concerns no address: add domains.'));
  else found.push(hint('It has no domains: only its id leads to it.'));
  return found;
}

function examineMetadata(row: SsoProviderRow, fresh: FreshMetadata | null, nowMs: number): Finding[] {
  const stored = findMetadataFault(row.metadata, nowMs);
  const found: Finding[] = stored === null ? [] : [wrong(`The stored metadata ${stored}: ${cureOf(row)}`)];
  const { valid_until: end } = row.metadata;
  if (stored === null && end !== null && Date.parse(end) < nowMs + WARN_MS && row.metadata_url === null) {
    found.push(hint(`The metadata ends on ${end}: ${cureOf(row)}`));
  }
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

function examineCertificate(certificate: SamlCertificate, nowMs: number): Finding[] {
  const { fingerprint, not_after: end } = certificate;
  const name = `The certificate ${fingerprint.slice(0, 23)}…`;
  const found: Finding[] = [];
  const endMs = Date.parse(end);
  if (endMs <= nowMs) found.push(hint(`${name} ended on ${end}, and counts no more.`));
  else if (endMs < nowMs + WARN_MS) {
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
