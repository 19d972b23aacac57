/** Versions of resources (RFC 7644 3.14, RFC 9110 13). */
import { createHash } from 'node:crypto';
import { apiError } from '../errors.js';

export interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * @param version of what is kept
 * @param shown what else an answer shows, which has no version of its own: a person's groups
 * @returns by which reads tell answers apart; writes go by the part that is kept
 */
export function versionOf(version: number, shown: readonly unknown[]): string {
  if (shown.length === 0) return String(version);
  return `${version}.${createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 11)}`;
}

export const etagOf = (version: string): string => `W/"${version}"`;

/** Weak comparison: a version is what it is, however it is written. */
function names(header: string, isMeant: (version: string) => boolean): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => {
    const version = /^(?:W\/)?"(.*)"$/.exec(one.trim())?.[1];
    return version !== undefined && isMeant(version);
  });
}

/** @throws ApiError scimVersionDiffers */
export function assertVersion({ ifMatch, ifNoneMatch }: Preconditions, version: number): void {
  const isKept = (one: string): boolean => one.split('.')[0] === String(version);
  if (ifMatch !== undefined && !names(ifMatch, isKept)) throw apiError('scimVersionDiffers');
  if (ifNoneMatch !== undefined && names(ifNoneMatch, isKept)) throw apiError('scimVersionDiffers');
}

/** Whether who reads has it already. */
export const isKnown = ({ ifNoneMatch }: Preconditions, version: string): boolean =>
  ifNoneMatch !== undefined && names(ifNoneMatch, (one) => one === version);
