import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** For every endpoint of provisioning. @throws ApiError scimDisabled */
export function assertScimOn({ config }: Pick<App, 'config'>): void {
  if (!config.scimEnabled) throw apiError('scimDisabled');
}
