import { apiError } from '../errors.js';
import { isLoopback } from '../outbound/loopback.js';
import type { App } from '../runtime/app.js';

/**
 * Scripts of other sites must not decide for a user, even with a stolen token. Clients other than browsers send no origin.
 * @param origin value of the header
 * @throws ApiError originRefused
 */
export function assertConsentOrigin({ redirects }: Pick<App, 'redirects'>, origin: string | undefined): void {
  if (origin === undefined || redirects.check(origin).isAllowed) return;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (host === 'localhost' || !isLoopback(host)) throw apiError('originRefused');
}
