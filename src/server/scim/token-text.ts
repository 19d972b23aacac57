/** How tokens of provisioning look, and their hash. */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';

/** So that scanners of repositories and logs know one when they see it. */
const PREFIX = 'lks_';
const TOKEN_BYTES = 32;

export const makeTokenText = (): string => PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');

export const isTokenText = (text: string): boolean => /^lks_[A-Za-z0-9_-]{43}$/.test(text);

/** Tokens have 256 random bits, so no slow hash is needed. @returns base64url */
export const hashTokenText = (key: KeyObject, token: string): string =>
  createHmac('sha256', key).update(token).digest('base64url');
