import type { Config } from '../config/settings.js';
import { pathKindOf } from '../message-kinds.js';
import type { MailMessage } from './contract.js';
import { isPageLink } from './page-link.js';

/**
 * The link of a mail: the path setting, resolved against AUTH_API_EXTERNAL_URL (RFC 3986 5) so that an absolute path setting
 * wins; its query is dropped. Request headers have no influence (SEC-20).
 * @returns null for a mail without link
 */
export function buildConfirmationUrl(
  config: Pick<Config, 'apiExternalUrl' | 'mails' | 'pagesEnabled'>,
  { kind, linkToken, linkType, redirectTo }: Pick<MailMessage, 'kind' | 'linkToken' | 'linkType' | 'redirectTo'>,
): string | null {
  const pathKind = pathKindOf(kind);
  if (linkToken === null || linkType === null || pathKind === undefined) return null;
  if (isPageLink(config, redirectTo)) {
    return `${redirectTo}&token=${formEscape(linkToken)}&type=${formEscape(linkType)}`;
  }
  // The configuration drops a trailing slash; without it, `verify` would replace the last segment.
  const target = new URL(config.mails[pathKind].urlPath, `${config.apiExternalUrl.replace(/\/$/, '')}/`);
  const query = `token=${formEscape(linkToken)}&type=${formEscape(linkType)}&redirect_to=${escapeRedirect(redirectTo)}`;
  target.search = '';
  const { hash } = target;
  target.hash = '';
  return `${target.href}?${query}${hash}`;
}

/** Leaves a target as it is, as supabase/auth does, unless it would end the parameter or is not valid in a URL. */
function escapeRedirect(redirectTo: string): string {
  return /^[A-Za-z0-9\-._~:/?[\]@!$'()*+,;%]*$/.test(redirectTo) ? redirectTo : formEscape(redirectTo);
}

const formEscape = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
