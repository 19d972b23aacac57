/** Domains of companies that were proven are looked at again. */
import { claimDueDomains, loseDomain, noteDomainSeen } from '../../db/sso-domains.js';
import { NIL_UUID } from '../../db/uuid.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { startDomainLooks } from '../domains/domain-looks.js';
import type { App } from '../runtime/app.js';

/** In place of a request id. */
const JOB = 'domain-proofs';
const JOB_ACTOR: Actor = { id: NIL_UUID, email: null, phone: null };

type JobApp = Pick<App, 'db' | 'log' | 'config' | 'txtRecords' | 'countAuditEvent' | 'clientAddress'>;

/** @param everyMs for tests. @returns ends it */
export const startDomainChecks = (app: JobApp, everyMs?: number): (() => void) =>
  startDomainLooks(
    app,
    {
      component: 'sso',
      lostMessage: 'A domain of an identity provider counts no more: its record is missing',
      claim: (days, most) => claimDueDomains(app.db, days, most),
      noteSeen: (due) => noteDomainSeen(app.db, due),
      async lose(due, days) {
        const traits = { sso_provider_id: due.provider_id, domain: due.domain };
        const audit = [auditEntry(JOB_ACTOR, 'sso_domain_lost', traits)];
        const isLost = await loseDomain(app.db, due, days, storedAudit(app, audit));
        if (isLost) logAudit(app, JOB, audit);
        return isLost;
      },
      describeOwner: ({ provider_id }) => ({ provider: provider_id }),
    },
    everyMs,
  );
