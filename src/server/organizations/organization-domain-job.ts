/** Domains of organizations that were proven are looked at again. One that is lost is told to the owners. */
import {
  claimDueOrganizationDomains,
  type DueOrganizationDomain,
  loseOrganizationDomain,
  noteOrganizationDomainSeen,
} from '../../db/organization-domains.js';
import { listOwnerContacts } from '../../db/organization-members.js';
import { lockOrganization } from '../../db/organizations.js';
import { insertMails } from '../../db/outbox.js';
import { NIL_UUID } from '../../db/uuid.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { startDomainLooks } from '../domains/domain-looks.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App } from '../runtime/app.js';

/** In place of a request id. */
const JOB = 'organization-domains';
const JOB_ACTOR: Actor = { id: NIL_UUID, email: null, phone: null };
/** More need not be told. */
const MAX_TOLD = 20;
const KIND = 'organization_domain_lost_notification';

type JobApp = Pick<
  App,
  'db' | 'log' | 'config' | 'txtRecords' | 'mail' | 'sms' | 'limits' | 'countAuditEvent' | 'clientAddress'
>;

/** Starts it in one thread of a process; nothing where organizations are off. @param everyMs for tests. @returns what ends it */
export function startOrganizationJobs(app: JobApp, everyMs?: number): readonly (() => void)[] {
  if (!app.config.organizationsEnabled) return [];
  const domains = {
    component: 'organizations',
    lostMessage: 'A domain of an organization counts no more: its record is missing',
    claim: (days: { readonly again: number; readonly whileMissing: number }, most: number) =>
      claimDueOrganizationDomains(app.db, days, most),
    noteSeen: (due: DueOrganizationDomain) => noteOrganizationDomainSeen(app.db, due),
    lose: (due: DueOrganizationDomain, days: number) => lose(app, due, days),
    describeOwner: ({ organization_id }: DueOrganizationDomain) => ({ organization_id }),
  };
  return [startDomainLooks(app, domains, everyMs)];
}

async function lose(app: JobApp, due: DueOrganizationDomain, days: number): Promise<boolean> {
  const { organization_id: organizationId, domain } = due;
  const audit = [
    auditEntry(JOB_ACTOR, 'organization.domain_lost', {
      organization_id: organizationId,
      domain,
      reason: 'record missing',
    }),
  ];
  const owners = await listOwnerContacts(app.db, organizationId, MAX_TOLD);
  const isDue = Date.parse(due.seen_at) < Date.now() - days * 86_400_000;
  // Before the transaction, which awaits statements only. What is not lost yet is not told.
  const notices = isDue
    ? await Promise.all(
        owners.map(async (owner) => ({
          userId: owner.id,
          mails: await prepareNotices(app, { requestId: JOB, isAdmin: true }, [
            { kind: KIND, to: recipientOf(owner), facts: { organization: owner.organization_name, domain } },
          ]),
        })),
      )
    : [];
  const isLost = await app.db.transaction(async (statements) => {
    if ((await lockOrganization(statements, organizationId)) === undefined) return false;
    if (!(await loseOrganizationDomain(statements, due, days, storedAudit(app, audit)))) return false;
    for (const { userId, mails } of notices) await insertMails(statements, userId, mails);
    return true;
  });
  if (!isLost) return false;
  logAudit(app, JOB, audit);
  if (notices.length > 0) app.mail.nudge();
  return true;
}
