/** Looks again at domains that were proven: who no longer owns one loses it. */
import type { App } from '../runtime/app.js';
import { hasProof, PROOF_DAYS, proofRecordOf } from './domain-proof.js';

const EVERY_MS = 600_000;
const MOST_AT_ONCE = 20;

/** A verified domain whose record is to be looked for. */
export interface DomainToSee {
  readonly domain: string;
  readonly proof: string;
  readonly seen_at: string;
}

/** The domains of one kind of owner. */
export interface ProvenDomains<Due extends DomainToSee> {
  /** In the log. */
  readonly component: string;
  /** What the log says of one that is lost. */
  readonly lostMessage: string;
  /** Those that this process is to look at. */
  claim(days: typeof PROOF_DAYS, most: number): Promise<readonly Due[]>;
  noteSeen(due: Due): Promise<void>;
  /** @returns whether it counts no more: its record was not seen for these days */
  lose(due: Due, days: number): Promise<boolean>;
  /** In the log: whose domain it is. */
  describeOwner(due: Due): object;
}

/** @param everyMs for tests. @returns ends it */
export function startDomainLooks<Due extends DomainToSee>(
  app: Pick<App, 'log' | 'txtRecords'>,
  domains: ProvenDomains<Due>,
  everyMs = EVERY_MS,
): () => void {
  const { component } = domains;
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (const due of await domains.claim(PROOF_DAYS, MOST_AT_ONCE)) await lookAt(app, domains, due);
    } catch (error) {
      app.log.warn({ component, error: (error as Error).message }, 'Domains that are due cannot be looked at');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return () => clearInterval(timer);
}

async function lookAt<Due extends DomainToSee>(
  { log, txtRecords }: Pick<App, 'log' | 'txtRecords'>,
  domains: ProvenDomains<Due>,
  due: Due,
): Promise<void> {
  const { domain, seen_at } = due;
  const record = proofRecordOf(domain, due.proof);
  const isThere = await hasProof(txtRecords, record);
  if (isThere === true) return domains.noteSeen(due);
  const { component } = domains;
  const fields = { component, ...domains.describeOwner(due), domain, record: record.name, last_seen_at: seen_at };
  // Where the DNS cannot be asked, no one loses a domain.
  if (isThere === null) return log.warn(fields, 'The record of a domain cannot be looked up');
  const isLost = await domains.lose(due, PROOF_DAYS.lost);
  log.warn(
    fields,
    isLost ? domains.lostMessage : 'The record of a domain is missing, and after 30 days the domain counts no more',
  );
}
