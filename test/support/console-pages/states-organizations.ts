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
  partState('domains', 'domains', 'main .card .badge'),
  partState('activity', 'activity', 'main table[aria-label="Activity"] a'),
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
