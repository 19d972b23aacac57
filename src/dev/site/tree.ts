/** The documentation as one tree, by who reads it. Its order is that of the sidebar; the test of the site compares it with docs/. */
import { runSection } from './run-section.js';
import { group, type SitePage, type SiteSection } from './section.js';
import { whySection } from './why-section.js';

export const siteSections: readonly SiteSection[] = [
  {
    text: 'Start',
    about: 'A server on your machine in two minutes, and the six words that the rest is written in.',
    groups: [group('', { 'docs/start.md': 'Two minutes', 'docs/concepts.md': 'Concepts' })],
  },
  {
    text: 'Build',
    about: 'For developers of applications: sign-in, APIs, companies, other applications, your code and data.',
    groups: [
      group('Guides', {
        'docs/guides/next-js.md': 'Next.js',
        'docs/guides/svelte-kit.md': 'SvelteKit',
        'docs/guides/plain-page.md': 'A plain page',
        'docs/guides/native-apps.md': 'Native apps',
        'docs/guides/mailed-links.md': 'Mailed links and codes',
        'docs/guides/end-to-end-tests.md': 'End-to-end tests',
        'docs/guides/protect-an-api.md': 'Protect an API',
        'docs/guides/protect-an-api-node.md': 'An API in Node',
        'docs/guides/protect-an-api-python.md': 'An API in Python',
        'docs/guides/protect-an-api-go.md': 'An API in Go',
        'docs/guides/protect-an-api-java.md': 'An API in Java',
        'docs/guides/postgres-policies.md': 'Postgres policies',
        'docs/guides/roles-and-claims.md': 'Roles and claims',
        'docs/guides/second-factors-for-some.md': 'Second factors for some',
        'docs/guides/mcp-and-agents.md': 'An MCP server and agents',
        'examples/postgres-rls/README.md': 'Example: row-level security',
        'examples/mcp-server/README.md': 'Example: an MCP server',
      }),
      group('Sign-in', {
        'docs/build/overview.md': 'The API at a glance',
        'docs/passkeys.md': 'Passkeys',
        'docs/web3.md': 'Wallets',
      }),
      group('Hosted pages', {
        'docs/pages.md': 'Hosted pages',
        'docs/pages/account.md': 'The account page',
        'docs/pages/companies.md': 'Companies',
        'docs/pages/look.md': 'Look and words',
      }),
      group('Second factors', {
        'docs/mfa.md': 'Second factors',
        'docs/mfa/kinds.md': 'Security keys and texts',
        'docs/mfa/policies.md': 'Who needs one',
        'docs/mfa/recovery.md': 'Lost factors, trusted devices',
        'docs/mfa/watching.md': 'Watch them',
      }),
      group('Identity providers', {
        'docs/providers.md': 'Identity providers',
        'docs/guides/google-apple-microsoft-github.md': 'Google, Apple, Microsoft, GitHub',
        'docs/provider-setup.md': 'Registration at each',
        'docs/providers/in-the-database.md': 'In the database',
        'docs/providers/flow.md': 'Flow, native apps',
        'docs/providers/accounts.md': 'Which account',
        'docs/providers/first-proof.md': 'First proof of an address',
        'docs/providers/linking.md': 'Linking by hand',
      }),
      group('Sessions', {
        'docs/build/sessions.md': 'Sessions and tokens',
        'docs/build/metadata.md': 'Metadata',
        'docs/build/redirects.md': 'Links and redirects',
      }),
      group('Companies', {
        'docs/organizations.md': 'Organizations',
        'docs/organizations/in-the-token.md': 'In tokens',
        'docs/organizations/postgres-policies.md': 'Rows in Postgres',
        'docs/organizations/account-page.md': 'On the account page',
        'docs/organizations/domains.md': 'Domains',
        'docs/organizations/sign-on.md': 'Single sign-on of one',
        'docs/organizations/clients.md': 'Clients and API keys',
        'docs/organizations/policies.md': 'Policies',
        'docs/organizations/moving-in.md': 'Move in',
        'docs/organizations/administration.md': 'Administer',
        'clients/organizations/README.md': 'Client of organizations',
      }),
      group('Single sign-on', {
        'docs/sso.md': 'Single sign-on (SAML)',
        'docs/sso/at-the-identity-provider.md': 'Entra ID, Okta, Google, Keycloak',
        'docs/sso/domains-and-claims.md': 'Domains and claims',
        'docs/sso/testing.md': 'Test, explain a failure',
        'docs/sso/accounts.md': 'Accounts, signing out',
        'docs/sso/keys.md': 'New keys',
      }),
      group('Provisioning', {
        'docs/scim.md': 'Provisioning (SCIM)',
        'docs/scim/people-and-groups.md': 'People and groups',
        'docs/scim/errors.md': 'Errors, suites, audit',
      }),
      group('Other applications', {
        'docs/oauth-server.md': 'OAuth server',
        'docs/oauth/clients.md': 'Clients',
        'docs/oauth/client-keys.md': 'Clients that have a key',
        'docs/oauth/flow.md': 'Flow, endpoints, devices',
        'docs/oauth/tokens.md': 'Tokens of clients',
        'docs/oauth/machines.md': 'Tokens for programs',
        'docs/oauth/dpop.md': 'Tokens bound to a key (DPoP)',
        'docs/oauth/pairwise.md': 'Pairwise subjects',
        'docs/oauth/logout.md': 'Logout',
        'docs/oauth/errors.md': 'Errors, limits, audit',
        'examples/relying-party/README.md': 'Example: a relying party',
      }),
      group('Your code and data', {
        'docs/hooks.md': 'Hooks',
        'docs/hooks/delivery.md': 'Time, tries, failures',
        'docs/hooks/messages.md': 'Mails and texts by a hook',
        'docs/events.md': 'Events and webhooks',
        'docs/application-database.md': "The application's database",
        'examples/postgres-stack/README.md': 'Example: a REST stack',
      }),
    ],
  },
  runSection,
  {
    text: 'Reference',
    about: 'Every setting, endpoint and error, and what differs from supabase/auth.',
    groups: [
      group('', {
        'docs/settings.md': 'Settings',
        'docs/api.md': 'API',
        'docs/api-console.md': 'Try the API',
      }),
      group('Compatibility', {
        'docs/compatibility.md': 'With supabase/auth',
        'docs/compatibility/endpoints.md': 'Endpoint by endpoint',
        'docs/compatibility/settings.md': 'Settings, hooks, tables',
      }),
      group('Errors', {
        'docs/errors.md': 'Errors',
        'docs/errors/requests.md': 'Any request',
        'docs/errors/sign-in.md': 'Sign-up and sign-in',
        'docs/errors/factors.md': 'Second factors, passkeys',
        'docs/errors/providers.md': 'Providers, wallets',
        'docs/errors/companies.md': 'Organizations, companies',
        'docs/errors/scim.md': 'Provisioning',
        'docs/errors/oauth.md': 'OAuth server',
        'docs/errors/administration.md': 'Administration, hooks',
      }),
    ],
  },
  whySection,
];

export const sitePages: readonly SitePage[] = siteSections.flatMap(({ groups }) =>
  groups.flatMap(({ pages }) => pages),
);

/**
 * @param source path of a markdown file from the root of the repository
 * @returns where it is on the site: `keys.md`, `guides/x.md`, `threats.md`, `examples/mcp-server.md`
 */
export function sitePlaceOf(source: string): string {
  return source
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase());
}
