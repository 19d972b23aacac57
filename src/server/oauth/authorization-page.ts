import type { Config } from '../config/settings.js';

/**
 * The page that asks the user for consent: OAUTH_SERVER_AUTHORIZATION_PATH below SITE_URL.
 * @returns null when none is configured
 */
export function authorizationPage({
  siteUrl,
  oauthServerAuthorizationPath: path,
}: Pick<Config, 'siteUrl' | 'oauthServerAuthorizationPath'>): string | null {
  return path === '' ? null : `${siteUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}
