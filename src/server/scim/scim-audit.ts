/** What provisioning leaves in the audit log. */
import { type Actor, type AuditAction, type AuditEntry, auditEntry } from '../accounts/audit.js';
import type { ScimCaller } from './scim-caller.js';

/** The token acts; its name is for people. */
export const scimActor = ({ tokenId, tokenName }: ScimCaller): Actor => ({
  id: tokenId,
  email: tokenName === '' ? 'scim' : `scim: ${tokenName}`,
  phone: null,
});

/** @param traits what was changed */
export function scimEntry(
  caller: ScimCaller,
  action: AuditAction,
  traits: Readonly<Record<string, unknown>>,
): AuditEntry {
  const { providerId, organizationId } = caller;
  const place = {
    ...(providerId !== null && { sso_provider_id: providerId }),
    ...(organizationId !== null && { organization_id: organizationId }),
  };
  return auditEntry(scimActor(caller), action, { ...place, ...traits });
}
