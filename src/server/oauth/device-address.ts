import type { Config } from '../config/settings.js';
import { formatUserCode } from './user-code.js';

type PageSettings = Pick<Config, 'siteUrl' | 'oauthServerDevicePath' | 'apiExternalUrl'>;

/**
 * The page where a person types the code of a device: OAUTH_SERVER_DEVICE_PATH below SITE_URL, else the hosted page.
 * @returns its address, and the one that has the code already (RFC 8628 3.3.1)
 */
export function devicePage({ siteUrl, oauthServerDevicePath: path, apiExternalUrl }: PageSettings, userCode: string) {
  const [base, below] = path === '' ? [apiExternalUrl, 'ui/device'] : [siteUrl, path.replace(/^\/+/, '')];
  const url = `${base.replace(/\/+$/, '')}/${below}`;
  return { url, complete: `${url}${url.includes('?') ? '&' : '?'}user_code=${formatUserCode(userCode)}` };
}
