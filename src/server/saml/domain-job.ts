/** Looks again at domains that were proven: who no longer owns one loses it. */
import { claimDueDomains, type DueDomain, loseDomain, noteDomainSeen } from '../../db/sso-domains.js';
import { NIL_UUID } from '../../db/uuid.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { hasProof, PROOF_DAYS, proofRecordOf } from '../domains/domain-proof.js';
import type { App } from '../runtime/app.js';

const EVERY_MS = 600_000;
const MOST_AT_ONCE = 20;
/** In place of a request id. */
const JOB = 'domain-proofs';
const JOB_ACTOR: Actor = { id: NIL_UUID, email: null, phone: null };

type JobApp = Pick<App, 'db' | 'log' | 'config' | 'txtRecords' | 'countAuditEvent' | 'clientAddress'>;

/** @param everyMs for tests. @returns ends it */
export function startDomainChecks(app: JobApp, everyMs = EVERY_MS): () => void {
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (const due of await claimDueDomains(app.db, PROOF_DAYS, MOST_AT_ONCE)) await lookAgain(app, due);
    } catch (error) {
      app.log.warn({ component: 'sso', error: (error as Error).message }, 'Domains that are due cannot be looked at');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return () => clearInterval(timer);
}

async function lookAgain(app: JobApp, due: DueDomain): Promise<void> {
  const { domain, provider_id, seen_at } = due;
  const record = proofRecordOf(domain, due.proof);
  const isThere = await hasProof(app.txtRecords, record);
  if (isThere === true) return noteDomainSeen(app.db, due);
  const fields = { component: 'sso', provider: provider_id, domain, record: record.name, last_seen_at: seen_at };
  // Where the DNS cannot be asked, no company loses its sign-in.
  if (isThere === null) return app.log.warn(fields, 'The record of a domain cannot be looked up');
  const audit = [auditEntry(JOB_ACTOR, 'sso_domain_lost', { sso_provider_id: provider_id, domain })];
  if (await loseDomain(app.db, due, PROOF_DAYS.lost, storedAudit(app, audit))) {
    logAudit(app, JOB, audit);
    app.log.warn(fields, 'A domain of an identity provider counts no more: its record is missing');
  } else {
    app.log.warn(fields, 'The record of a domain is missing, and after 30 days the domain counts no more');
  }
}
