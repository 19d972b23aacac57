/** Everything that the server knows about a person, as the person may have it (GDPR, articles 15 and 20). */
import { readAuditOf } from '../../../db/audit.js';
import { listOrganizationsOf } from '../../../db/organizations.js';
import { viewUser } from '../../accounts/user-view.js';
import { listOwnDevices } from '../../factors/trust.js';
import { listGrants } from '../../oauth/grants.js';
import { readOwnPasskeys } from '../../passkeys/own-passkeys.js';
import { listSessions } from '../../sessions/own-sessions.js';
import type { AccountVisit } from './account-visit.js';

/** Some years of a person who signs in every day. */
const MAX_AUDIT_ENTRIES = 5000;
const MAX_MEMBERSHIPS = 5000;

/** No secrets: the user object, and what the endpoints of the parts show. */
export async function collectOwnData({ app, caller }: AccountVisit): Promise<object> {
  const { user } = caller;
  const [sessions, passkeys, trusted_devices, apps, organizations, audit] = await Promise.all([
    listSessions(app, user.id),
    readOwnPasskeys(app, caller),
    user.is_anonymous ? [] : listOwnDevices(app, caller),
    listGrants(app, user.id),
    app.config.organizationsEnabled ? listOrganizationsOf(app.db, user.id, null, null, MAX_MEMBERSHIPS) : [],
    readAuditOf(app.db, user.id, MAX_AUDIT_ENTRIES),
  ]);
  return {
    exported_at: new Date().toISOString(),
    user: viewUser(user),
    sessions,
    passkeys,
    trusted_devices,
    apps,
    organizations: organizations.map(({ id, name, slug, roles, joined_at, via }) => ({
      id,
      name,
      slug,
      roles,
      joined_at,
      via,
    })),
    audit: audit.map(({ payload, created_at, ip_address }) => ({ created_at, ip_address, ...payload })),
  };
}
