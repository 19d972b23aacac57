/** States of the pages of organizations: their parts, dialogs, and what is refused. */
import type { Page } from 'playwright-core';
import type { ConsoleState } from './console-state.js';

const ONE = '/orgs/{organization_id}';

/** A part of the page of one organization, and what is done there. */
const partState = (
  state: string,
  tab: string,
  shows: string,
  act: (page: Page) => Promise<void> = async () => undefined,
  role: 'viewer' | 'admin' = 'admin',
): ConsoleState => ({
  page: ONE,
  state,
  shows,
  async reach({ enter, examples }, options) {
    const query = tab === '' ? '' : `?tab=${tab}`;
    const opened = await enter(role, { ...options, path: `/orgs/${examples['organization_id']}${query}` });
    await act(opened.page);
    return opened;
  },
});

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

export const organizationStates: readonly ConsoleState[] = [
  {
    page: '/orgs',
    state: 'switched-off',
    shows: 'main .empty a[href^="/sign-in-rules"]',
    async reach({ signIn, origin }, options) {
      const opened = await signIn('admin', options);
      const body = JSON.stringify({ code: 404, error_code: 'feature_disabled', msg: 'Organizations are disabled' });
      await opened.page.route('**/api/organizations', (route) =>
        route.fulfill({ status: 404, contentType: 'application/json', body }),
      );
      await opened.page.goto(`${origin}/orgs`);
      return opened;
    },
  },
  {
    page: '/orgs',
    state: 'nothing-found',
    shows: 'main .empty .title:has-text("No organization matches")',
    reach: ({ enter }, options) => enter('viewer', { ...options, path: '/orgs?search=zzz' }),
  },
  {
    page: '/orgs',
    state: 'owner-unknown',
    shows: 'dialog .alert.error:has-text("No account")',
    async reach({ enter }, options) {
      const opened = await enter('admin', { ...options, path: '/orgs' });
      const { page } = opened;
      await click('Add an organization')(page);
      await page.locator('dialog [name="name"]').fill('Globex');
      await page.locator('dialog [name="owner"]').fill('not.there@example.com');
      await click('Add organization')(page);
      return opened;
    },
  },
  partState('change', '', 'dialog [name="metadata"]', click('Change')),
  partState('members', 'members', 'main table[aria-label="Members"] button'),
  partState('members-for-a-viewer', 'members', 'main table[aria-label="Members"] a', undefined, 'viewer'),
  partState('last-owner', 'members', 'dialog .alert.error', async (page) => {
    await page.getByRole('button', { name: 'Remove ada@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  }),
  partState('roles-of-a-member', 'members', 'dialog [name="roles"]', (page) =>
    page.getByRole('button', { name: 'Roles edsger@example.com' }).click(),
  ),
  partState('policies', '', 'dialog [name="session_hours"]', (page) =>
    page.getByRole('button', { name: 'Change policies' }).click(),
  ),
  partState('invitations', 'invitations', 'main table[aria-label="Invitations"] button'),
  partState('invitations-for-a-viewer', 'invitations', 'main table[aria-label="Invitations"] bdi', undefined, 'viewer'),
  partState('invite', 'invitations', 'dialog [name="emails"]', click('Invite')),
  partState('some-not-invited', 'invitations', 'dialog li:has-text("ada@example.com")', async (page) => {
    await click('Invite')(page);
    await page.locator('dialog [name="emails"]').fill('tim@acme.example\nada@example.com\nno address');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  }),
  partState('sent-again', 'invitations', 'dialog .actions', (page) =>
    page.getByRole('button', { name: 'Send again vint@acme.example' }).click(),
  ),
  partState('domains', 'domains', 'main .card button:has-text("Remove")'),
  partState('domains-for-a-viewer', 'domains', 'main .card .badge', undefined, 'viewer'),
  partState('domain-without-record', 'domains', 'main .card .alert.error', (page) =>
    page.getByRole('button', { name: 'Verify acme.test' }).click(),
  ),
  partState('add-a-domain', 'domains', 'dialog [name="verified"]', click('Add a domain')),
  partState('domain-vouched-for', 'domains', 'dialog p:has-text("It counts without a record")', (page) =>
    page.getByRole('button', { name: 'Mark as proved acme.test' }).click(),
  ),
  partState('who-joins', 'domains', 'dialog [name="auto_join"]', (page) =>
    page.getByRole('button', { name: 'Who joins acme.example' }).click(),
  ),
  {
    page: '/clients',
    state: 'machine',
    shows: 'dialog details[open] [name="organization"]',
    async reach({ enter }, options) {
      const opened = await enter('admin', { ...options, path: '/clients' });
      const { page } = opened;
      await click('Add a client')(page);
      await page.locator('dialog [name="kind"]').selectOption('machine');
      await page.locator('dialog summary', { hasText: 'Keys in place of a secret' }).click();
      await page.locator('dialog summary', { hasText: 'For one organization' }).click();
      return opened;
    },
  },
  {
    page: '/clients/{client_id}',
    state: 'of-an-organization',
    shows: 'main dd:has-text("editor")',
    reach: ({ enter, examples }, options) =>
      enter('viewer', { ...options, path: `/clients/${examples['machine_id']}` }),
  },
  partState('sign-on', 'sign-on', 'main table[aria-label="Identity providers"] a'),
  partState('no-scim-token', 'sign-on', 'main .card button:has-text("Make a token")'),
  partState('new-scim-token', 'sign-on', 'dialog [name="expires_at"]', click('Make a token')),
  partState('activity', 'activity', 'main table[aria-label="Activity"] a'),
  {
    page: '/companies/{sso_provider_id}',
    state: 'of-an-organization',
    shows: 'dialog details[open] [name="role_mapping"]',
    async reach({ enter, examples }, options) {
      const opened = await enter('admin', { ...options, path: `/orgs/${examples['organization_id']}?tab=sign-on` });
      const { page } = opened;
      await page.locator('main table[aria-label="Identity providers"] a').click();
      await click('Change')(page);
      return opened;
    },
  },
  {
    page: '/org-roles',
    state: 'role-in-use',
    shows: 'dialog .alert.error:has-text("in use")',
    async reach({ enter }, options) {
      const opened = await enter('admin', { ...options, path: '/org-roles' });
      const { page } = opened;
      await page.getByRole('button', { name: 'Delete editor' }).click();
      await click('Delete role')(page);
      return opened;
    },
  },
  {
    page: '/org-roles',
    state: 'add',
    shows: 'dialog [name="permissions"]',
    async reach({ enter }, options) {
      const opened = await enter('admin', { ...options, path: '/org-roles' });
      await click('Add a role')(opened.page);
      return opened;
    },
  },
  {
    page: '/users/{user_id}',
    state: 'organizations',
    shows: 'main table[aria-label="Organizations"] a',
    reach: ({ enter, examples }, options) =>
      enter('support', { ...options, path: `/users/${examples['user_id']}?tab=organizations` }),
  },
];
