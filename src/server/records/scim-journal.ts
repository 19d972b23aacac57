/** The last calls of each token of provisioning, which the console shows. Written in batches after the answers. */
import { recordScimCalls, type ScimCallInput } from '../../db/scim-calls.js';
import type { Database } from '../../db/types.js';
import type { ProvisioningAnswer } from '../http/types.js';
import type { Log } from '../telemetry/log.js';
import { type BatchWriter, openBatchWriter } from './batch-writer.js';
import { openOrderedClock } from './ordered-clock.js';

export interface ScimJournal extends Pick<BatchWriter<ScimCallInput>, 'close'> {
  record(answer: ProvisioningAnswer): void;
}

export interface ScimJournalOptions {
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly describe: (answer: ProvisioningAnswer, calledAt: string) => ScimCallInput;
}

export function openScimJournal({ db, log, describe }: ScimJournalOptions): ScimJournal {
  const readTime = openOrderedClock();
  const batches = openBatchWriter<ScimCallInput>({
    write: (calls) => recordScimCalls(db, calls),
    onLost(calls, reason) {
      log.warn({ component: 'scim', calls: calls.length, reason }, 'Calls of provisioning could not be recorded');
    },
  });
  return {
    record(answer) {
      // Who provisions is not held up: what is too much is not shown.
      if (!batches.isFull) batches.add(describe(answer, readTime()));
    },
    close: batches.close,
  };
}
