import { memoize } from '../../caching/memoize.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import type { SessionBounds } from '../../db/sessions.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { sessionBounds } from '../sessions/open.js';

/**
 * Lifetime of a session of the client from its authorization; refreshing does not extend it (RFC 9700 4.14.2).
 * @returns seconds; null: without end
 */
export const clientSessionSeconds = ({ config }: Pick<App, 'config'>, client: OauthClientRow): number | null =>
  client.refresh_ttl_seconds ?? (config.oauthServerRefreshTokenTtlSeconds || null);

/** The limits of refreshes by clients. They do not count as sessions of a device, so tags do not matter. */
export const clientSessionBounds = ({ config }: Pick<App, 'config'>): SessionBounds => boundsOf(config);

const boundsOf = memoize((config: App['config']): SessionBounds => {
  const { timeboxSeconds, inactivitySeconds } = sessionBounds({ config });
  const idle = config.oauthServerRefreshTokenIdleTtlSeconds || null;
  const limits = [inactivitySeconds, idle].filter((seconds) => seconds !== null);
  return { timeboxSeconds, inactivitySeconds: limits.length === 0 ? null : Math.min(...limits), singlePerTag: null };
});

/** @throws ApiError grantTypeUnsupported */
export function assertGrantOf(client: OauthClientRow, grantType: string): void {
  if (!client.grant_types.includes(grantType)) throw apiError('grantTypeUnsupported');
}

/** Whether sessions with these scopes get refresh tokens. */
export const mayRefresh = (
  { config }: Pick<App, 'config'>,
  client: OauthClientRow,
  scopes: readonly string[],
): boolean =>
  client.grant_types.includes('refresh_token') &&
  (!config.oauthServerOfflineAccessRequired || scopes.includes('offline_access'));
