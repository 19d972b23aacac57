import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** For every endpoint below /sso. Administration works without. @throws ApiError samlDisabled */
export function assertSamlOn({ config }: Pick<App, 'config'>): void {
  if (!config.samlEnabled) throw apiError('samlDisabled');
}
