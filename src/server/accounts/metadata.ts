import type { Metadata, MetadataChange } from '../../db/users.js';
import { refuse } from '../errors.js';

/** One object in a request (SEC-30). */
const MAX_INPUT_BYTES = 16 * 1024;
/** All of one kind that an account may gather over time; it travels in every access token. */
const MAX_TOTAL_BYTES = 64 * 1024;

/** @throws Refusal metadataTooLarge */
export function assertMetadataSize(data: Metadata, field: string): void {
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_INPUT_BYTES) {
    throw refuse('metadataTooLarge', { field, limit: MAX_INPUT_BYTES });
  }
}

/**
 * Splits a patch for the top-level merge: null drops a key, anything else sets it, nested objects are replaced whole
 * (reference/core.md 7.4). Maps without a prototype keep `__proto__` an ordinary key (SEC-27).
 * @param current what the account holds now, for the bound on the total
 * @throws Refusal metadataTooLarge
 */
export function splitPatch(patch: Metadata, current: Metadata, field: string): MetadataChange {
  assertMetadataSize(patch, field);
  const set: Record<string, unknown> = Object.create(null);
  const drop: string[] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) drop.push(key);
    else set[key] = value;
  }
  const total = Buffer.byteLength(JSON.stringify(set)) + Buffer.byteLength(JSON.stringify(current));
  if (total > MAX_TOTAL_BYTES) throw refuse('metadataTooLarge', { field: `${field} in all`, limit: MAX_TOTAL_BYTES });
  return { set, drop };
}

/** A copy of `data` without null members and with `fixed` members that the caller cannot override. */
export function withFixed(data: Metadata, fixed: Metadata): Metadata {
  const merged: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(data)) if (value !== null) merged[key] = value;
  for (const [key, value] of Object.entries(fixed)) merged[key] = value;
  return merged;
}
