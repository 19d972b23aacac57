/** Versions of resources (RFC 7644 3.14, RFC 9110 13). */
import { apiError } from '../errors.js';

export interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export const etagOf = (version: number): string => `W/"${version}"`;

/** Weak comparison: a version is what it is, however it is written. */
function names(header: string, version: number): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === `"${version}"`);
}

/** @throws ApiError scimVersionDiffers */
export function assertVersion({ ifMatch, ifNoneMatch }: Preconditions, version: number): void {
  if (ifMatch !== undefined && !names(ifMatch, version)) throw apiError('scimVersionDiffers');
  if (ifNoneMatch !== undefined && names(ifNoneMatch, version)) throw apiError('scimVersionDiffers');
}

/** Whether who reads has it already. */
export const isKnown = ({ ifNoneMatch }: Preconditions, version: number): boolean =>
  ifNoneMatch !== undefined && names(ifNoneMatch, version);
