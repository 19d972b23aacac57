import { createHash } from 'node:crypto';

/** Changes with anything that is imported. The members always come in the same order. */
export const digestOf = (imported: unknown): string =>
  createHash('sha256').update(JSON.stringify(imported)).digest('base64url');
