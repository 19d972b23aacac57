/** Pages with figures of settings in their prose, from the root of the repository. */
export const figurePages: readonly string[] = [
  'THREATS.md',
  'SECURITY.md',
  'docs/build/redirects.md',
  'docs/build/sessions.md',
  'docs/database.md',
  'docs/notices.md',
  'docs/oauth/clients.md',
  'docs/oauth/errors.md',
  'docs/operations.md',
  'docs/organizations.md',
  'docs/passkeys.md',
  'docs/proxies.md',
  'docs/run/capacity.md',
  'docs/run/limits.md',
  'docs/run/mail.md',
  'docs/web3.md',
];
