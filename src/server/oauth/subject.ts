/** Who a user is to a client (OpenID Connect Core 8). */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { memoize } from '../../caching/memoize.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import { deriveBytes } from '../sealing/key-ring.js';

export type SubjectSettings = Pick<Config, 'oauthServerPairwiseSalt'>;

/** What a subject depends on. */
export type SubjectClient = Pick<OauthClientRow, 'subject_type' | 'sector_identifier_uri' | 'redirect_uris'>;

const keyOf = memoize(({ oauthServerPairwiseSalt: salt }: SubjectSettings): KeyObject | null =>
  salt === '' ? null : createSecretKey(deriveBytes(salt, 'latchkey pairwise subject v1')),
);

/** Clients of one sector know a user by the same name. @returns a host name; null: it has none */
export function sectorOf({ sector_identifier_uri: uri, redirect_uris: redirects }: SubjectClient): string | null {
  const text = uri ?? redirects[0];
  return text === undefined ? null : new URL(text).hostname;
}

/**
 * `sub` of what is for the client itself: ID tokens, userinfo, introspection, logout tokens.
 * @throws ApiError pairwiseUnavailable
 */
export function subjectOf(settings: SubjectSettings, client: SubjectClient, userId: string): string {
  if (client.subject_type === 'public') return userId;
  assertSubjects(settings, client);
  return createHmac('sha256', keyOf(settings)!)
    .update(`${sectorOf(client)} ${userId}`)
    .digest('base64url');
}

/** The salt may have gone since the client was added. @throws ApiError pairwiseUnavailable */
export function assertSubjects(settings: SubjectSettings, { subject_type: type }: SubjectClient): void {
  if (type === 'pairwise' && keyOf(settings) === null) throw apiError('pairwiseUnavailable');
}
