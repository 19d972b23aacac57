/** Pages with figures of settings in their prose, from the root of the repository. */
export const figurePages: readonly string[] = [
  'THREATS.md',
  'SECURITY.md',
  'docs/database.md',
  'docs/notices.md',
  'docs/oauth-server.md',
  'docs/operations.md',
  'docs/organizations.md',
  'docs/passkeys.md',
  'docs/proxies.md',
  'docs/web3.md',
];
