import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** For every endpoint of the authorization server. @throws ApiError oauthServerDisabled */
export function assertOauthServerOn({ config }: Pick<App, 'config'>): void {
  if (!config.oauthServerEnabled) throw apiError('oauthServerDisabled');
}

/** @throws ApiError oauthServerDisabled, oauthRegistrationDisabled */
export function assertRegistrationOn(app: Pick<App, 'config'>): void {
  assertOauthServerOn(app);
  if (!app.config.oauthServerAllowDynamicRegistration) throw apiError('oauthRegistrationDisabled');
}

/** @throws ApiError oauthServerDisabled, deviceGrantDisabled */
export function assertDeviceGrantOn(app: Pick<App, 'config'>): void {
  assertOauthServerOn(app);
  if (!app.config.oauthServerDeviceGrantEnabled) throw apiError('deviceGrantDisabled');
}
