import { readDomainProof, verifyDomain } from '../../../db/sso-domains.js';
import { spellDomain } from '../../accounts/addresses.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { assertProof, proofRecordOf } from '../../domains/domain-proof.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { readSsoProvider } from './find-sso-provider.js';
import { viewDomain } from './view-sso-provider.js';

/**
 * POST /admin/sso/providers/{id}/domains/{domain}/verify: looks the record up.
 * @returns the domain as the provider shows it
 * @throws ApiError ssoIdentityProviderNotFound, ssoDomainUnknown, domainRecordMissing
 */
export async function verifySsoDomain(
  app: App,
  requestId: string,
  admin: Administrator,
  id: string,
  given: string,
): Promise<Record<string, unknown>> {
  const provider = await readSsoProvider(app, id);
  const domain = spellDomain(given);
  const proof = await readDomainProof(app.db, provider.id, domain);
  if (proof === undefined) throw apiError('ssoDomainUnknown');
  await assertProof(app.txtRecords, proofRecordOf(domain, proof));
  const traits = { sso_provider_id: provider.id, domain };
  const audit = [auditEntry(adminActor(admin), 'sso_domain_verified', traits)];
  const seen = { providerId: provider.id, domain, proof };
  if (!(await verifyDomain(app.db, seen, storedAudit(app, audit)))) throw apiError('ssoDomainUnknown');
  logAudit(app, requestId, audit);
  return viewDomain({ domain, proof, is_verified: true });
}
