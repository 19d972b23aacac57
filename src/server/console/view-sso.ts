/** Identity providers of companies as the console shows them. */
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { App } from '../runtime/app.js';
import { findComingEnds } from '../saml/coming-ends.js';
import { findMetadataFault } from '../saml/metadata-faults.js';
import { viewDomain, viewSsoProvider } from '../saml/providers/view-sso-provider.js';
import { serviceProviderOf } from '../saml/service-provider.js';

/** What administrators of a company enter at their identity provider. @returns null: SAML is off */
export function viewOwnSaml({ config }: Pick<App, 'config'>) {
  if (!config.samlEnabled) return null;
  const { entityId, acsUrl, sloUrl, certificates } = serviceProviderOf(config);
  return {
    entity_id: entityId,
    acs_url: acsUrl,
    slo_url: sloUrl,
    metadata_url: entityId,
    download_url: `${entityId}?download=true`,
    certificates: certificates.map(toPem),
  };
}

const toPem = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** As the API shows it, with what needs attention. @param isListed without the metadata itself */
export const viewSsoInConsole = ({ config }: Pick<App, 'config'>, row: SsoProviderRow, isListed: boolean) => ({
  ...viewSsoProvider(row, config, isListed),
  proofs: (row.domain_proofs ?? []).map((proof) => viewDomain(proof)),
  needs_proof: config.samlRequireDomainProof,
  ends: findComingEnds(row, Date.now()).map(({ what, endsAt }) => ({ what, ends_at: endsAt })),
  fault: findMetadataFault(row.metadata, Date.now()),
});
