import type { Config } from '../config/settings.js';

type PageSettings = Pick<Config, 'siteUrl' | 'oauthServerAuthorizationPath' | 'pagesEnabled' | 'apiExternalUrl'>;

/** What the client knows of the user. */
export interface PageHints {
  readonly login_hint: string | null;
  readonly ui_locales: string | null;
}

/**
 * The page that asks the user for consent: OAUTH_SERVER_AUTHORIZATION_PATH below SITE_URL, else the hosted page.
 * @returns its address, and the parameters it gets beside authorization_id; null when there is none
 */
export function authorizationPage(
  { siteUrl, oauthServerAuthorizationPath: path, pagesEnabled, apiExternalUrl }: PageSettings,
  hints: PageHints,
): { readonly url: string; readonly parameters: Readonly<Record<string, string | null>> } | null {
  if (path !== '') return { url: `${siteUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`, parameters: {} };
  return pagesEnabled ? { url: `${apiExternalUrl.replace(/\/+$/, '')}/ui/consent`, parameters: { ...hints } } : null;
}
