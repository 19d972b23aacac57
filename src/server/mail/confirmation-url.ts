import type { Config } from '../config/settings.js';
import type { MailKind, MailMessage } from './contract.js';

type Paths = Pick<
  Config,
  | 'apiExternalUrl'
  | 'mailerUrlpathsInvite'
  | 'mailerUrlpathsConfirmation'
  | 'mailerUrlpathsRecovery'
  | 'mailerUrlpathsEmailChange'
>;

const PATH_OF = {
  confirmation: 'mailerUrlpathsConfirmation',
  invite: 'mailerUrlpathsInvite',
  recovery: 'mailerUrlpathsRecovery',
  // A magic link has no path of its own (delivery.md 5.1).
  magic_link: 'mailerUrlpathsRecovery',
  email_change: 'mailerUrlpathsEmailChange',
  reauthentication: 'mailerUrlpathsConfirmation',
} as const satisfies Record<MailKind, keyof Paths>;

/**
 * The link of a mail: the path setting resolved against AUTH_API_EXTERNAL_URL as RFC 3986 5 does it, so an absolute one
 * wins and a query in it is dropped. No header of a request has a say (SEC-20).
 * @returns null for a mail without link
 */
export function buildConfirmationUrl(
  config: Paths,
  { kind, linkToken, linkType, redirectTo }: Pick<MailMessage, 'kind' | 'linkToken' | 'linkType' | 'redirectTo'>,
): string | null {
  if (linkToken === null || linkType === null) return null;
  // The configuration drops a slash at the end; without one, `verify` would replace the last segment.
  const target = new URL(config[PATH_OF[kind]], `${config.apiExternalUrl.replace(/\/$/, '')}/`);
  const query = `token=${formEscape(linkToken)}&type=${formEscape(linkType)}&redirect_to=${escapeRedirect(redirectTo)}`;
  target.search = '';
  const { hash } = target;
  target.hash = '';
  return `${target.href}?${query}${hash}`;
}

/** Raw unless it would end the parameter (delivery.md 5.1), or hold what no URL may. */
function escapeRedirect(redirectTo: string): string {
  return /^[A-Za-z0-9\-._~:/?[\]@!$'()*+,;%]*$/.test(redirectTo) ? redirectTo : formEscape(redirectTo);
}

const formEscape = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
