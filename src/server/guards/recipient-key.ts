import { createHash } from 'node:crypto';

/**
 * The key of a counter by recipient. Addresses are stored hashed, and together with the limit's name, so that hashes of two
 * limits differ.
 * @param limit name of a send interval, or kind of a notice
 */
export const recipientKey = (limit: string, recipient: string): string =>
  createHash('sha256').update(`${limit}\0${recipient}`).digest('base64url');
