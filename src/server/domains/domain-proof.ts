/** A domain belongs to those who can write its DNS: they put up a TXT record with a value that only they were shown. */
import { apiError } from '../errors.js';
import type { TxtAnswer, TxtLookup } from './txt-lookup.js';

export interface ProofRecord {
  readonly name: string;
  readonly type: 'TXT';
  readonly value: string;
}

/** A domain that was proven is looked at again: daily while its record is missing. */
export const PROOF_DAYS = { again: 7, whileMissing: 1, lost: 30 } as const;

/** @param proof 32 hex digits. @returns the record to put up */
export const proofRecordOf = (domain: string, proof: string): ProofRecord => ({
  name: `_latchkey.${domain}`,
  type: 'TXT',
  value: `latchkey-domain=${proof}`,
});

/** Null: the DNS could not be asked. Other records of the name do not matter; neither does white space around a value. */
export async function hasProof(lookup: TxtLookup, record: ProofRecord): Promise<boolean | null> {
  const answer = await lookup.read(record.name);
  return 'fault' in answer ? null : isIn(answer, record);
}

const isIn = (answer: TxtAnswer, { value }: ProofRecord): boolean =>
  'texts' in answer && answer.texts.some((text) => text.trim() === value);

/** What an error repeats of the records of a name. */
const MAX_FOUND = 10;
const MAX_CHARACTERS = 200;

/** @throws ApiError domainRecordMissing, with the record and what was found */
export async function assertProof(lookup: TxtLookup, record: ProofRecord): Promise<void> {
  const answer = await lookup.read(record.name);
  if (isIn(answer, record)) return;
  const found = 'texts' in answer ? answer.texts.slice(0, MAX_FOUND).map((text) => text.slice(0, MAX_CHARACTERS)) : [];
  const reason =
    'fault' in answer
      ? `${record.name} cannot be looked up: ${answer.fault}`
      : found.length === 0
        ? `There is no TXT record ${record.name}`
        : `No TXT record ${record.name} has this value`;
  throw apiError('domainRecordMissing', { reason, value: record.value }, { extra: { record, found } });
}
