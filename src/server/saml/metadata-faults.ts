import type { SamlMetadata, UnusableMetadata } from '../../workers/saml-wire.js';

/** @returns why sign-ins cannot use metadata at this time; null: they can. It completes "SAML Metadata …". */
export function findMetadataFault(metadata: SamlMetadata | UnusableMetadata, nowMs: number): string | null {
  if ('fault' in metadata) return metadata.fault;
  if (metadata.valid_until !== null && Date.parse(metadata.valid_until) <= nowMs) {
    return `has expired: it was valid until ${metadata.valid_until}`;
  }
  const isUsable = metadata.certificates.some(({ not_after }) => Date.parse(not_after) > nowMs);
  return isUsable ? null : 'contains only certificates that have expired';
}
