import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** For what is of SAML. Administration works without. @throws ApiError samlDisabled */
export function assertSamlOn({ config }: Pick<App, 'config'>): void {
  if (!config.samlEnabled) throw apiError('samlDisabled');
}

/** Whether organizations may have providers of OpenID Connect. */
export const hasOpenidOfOrganizations = ({ config }: Pick<App, 'config'>): boolean =>
  config.organizationsEnabled && config.customOauthEnabled;

/** For POST /sso, which leads to both kinds. @throws ApiError samlDisabled */
export function assertSsoOn(app: Pick<App, 'config'>): void {
  if (!hasOpenidOfOrganizations(app)) assertSamlOn(app);
}
