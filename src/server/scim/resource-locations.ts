import type { App } from '../runtime/app.js';

const SCIM_PATH = '/scim/v2';

/** @param place below the address of provisioning, such as /Users/<id> */
export const locationOf = ({ config }: Pick<App, 'config'>, place: string): string =>
  `${config.apiExternalUrl.replace(/\/+$/, '')}${SCIM_PATH}${place}`;
