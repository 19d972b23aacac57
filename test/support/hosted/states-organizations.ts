/** The pages of organizations. */
import { asAdmin } from '../admin.js';
import { manage } from './manage.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';
import type { World } from './worlds.js';

const LIST = '/ui/account/organizations';
const LONG_NAME = 'Consolidated Amalgamated Spreadsheet Synchronisation & Sons, Research and Development';

/** Slugs are those of one world, in which every language sees the state. */
let made = 0;

async function idOf({ database }: World, email: string): Promise<string> {
  return (await database.admin.query('select id from users where email = $1', [email])).rows[0].id;
}

/** An organization of a person. @returns its id */
async function found(world: World, email: string, name: string): Promise<string> {
  const body = { name, slug: `acme-${++made}`, owner_id: await idOf(world, email) };
  return (await asAdmin(world)('POST', '/admin/organizations', body)).body.id;
}

async function addTo(world: World, id: string, email: string, ...roles: string[]): Promise<void> {
  const body = { user_id: await idOf(world, email), roles };
  await asAdmin(world)('POST', `/admin/organizations/${id}/members`, body);
}

/** Comes to a page of an organization of the person, with another member and one of each thing that such pages list. */
async function comeTo(visitor: Visitor, part: string, role = 'owner'): Promise<void> {
  const { world } = visitor;
  const address = await manage(visitor, '/organizations');
  const other = await world.addPerson('grace', { user_metadata: { name: 'Grace Brewster Murray Hopper' } });
  const id = await found(world, role === 'owner' ? address : other, LONG_NAME);
  await addTo(world, id, role === 'owner' ? other : address, 'member');
  await visitor.open(`${LIST}/${id}${part}`);
}

/** Presses the first button of a form that has one. */
const press = (visitor: Visitor, action: string): Promise<void> => visitor.press(`button[value="${action}"]`);

export const organizationStates: readonly PageState[] = [
  {
    page: LIST,
    state: 'at-first',
    world: 'full',
    shows: 'details[open] button[value="create"]',
    reach: (visitor) => manage(visitor, '/organizations'),
  },
  {
    page: LIST,
    state: 'several',
    world: 'full',
    shows: 'main li .tag',
    async reach(visitor) {
      const address = await manage(visitor, '/organizations');
      await found(visitor.world, address, 'Acme');
      await addTo(
        visitor.world,
        await found(visitor.world, await visitor.world.addPerson('grace'), LONG_NAME),
        address,
        'admin',
        'member',
      );
      await visitor.open(visitor.page.url());
      await visitor.press('main li form button');
    },
  },
  {
    page: LIST,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="slug"][aria-invalid="true"]',
    async reach(visitor) {
      await manage(visitor, '/organizations');
      await visitor.fill({ name: 'Acme', slug: 'admin' });
      await press(visitor, 'create');
    },
  },
  {
    page: `${LIST}/{id}`,
    state: 'owner',
    world: 'full',
    shows: 'ul.parts li:nth-child(3)',
    reach: (visitor) => comeTo(visitor, ''),
  },
  {
    page: `${LIST}/{id}`,
    state: 'member',
    world: 'full',
    shows: 'ul.parts li:only-child',
    reach: (visitor) => comeTo(visitor, '', 'member'),
  },
  {
    page: `${LIST}/{id}`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="slug"][aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '');
      await visitor.page.locator('details:has(button.danger) summary').last().click();
      await visitor.fill({ slug: 'another' });
      await press(visitor, 'delete');
    },
  },
  {
    page: `${LIST}/{id}/members`,
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(2) details[open] fieldset',
    async reach(visitor) {
      await comeTo(visitor, '/members');
      await visitor.page.locator('main li:nth-child(2) summary').click();
    },
  },
  {
    page: `${LIST}/{id}/members`,
    state: 'not-found',
    world: 'full',
    shows: 'main:not(:has(li)) form[role="search"]',
    async reach(visitor) {
      await comeTo(visitor, '/members');
      await visitor.fill({ search: 'nobody' });
      await visitor.press('form[role="search"] button');
    },
  },
  {
    page: `${LIST}/{id}/members`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="roles"][aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/members');
      await visitor.page.locator('main li:nth-child(2) summary').click();
      await visitor.page.locator('main li:nth-child(2) input[value="member"]').uncheck();
      await visitor.press('main li:nth-child(2) button[value="roles"]');
    },
  },
  {
    page: `${LIST}/{id}/invitations`,
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(ul)) button[value="invite"]',
    reach: (visitor) => comeTo(visitor, '/invitations'),
  },
  {
    page: `${LIST}/{id}/invitations`,
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(2)',
    async reach(visitor) {
      await comeTo(visitor, '/invitations');
      for (const email of ['new@example.com', 'somebody.with.a.rather.long.name@department.company.example.com']) {
        await visitor.fill({ email });
        await press(visitor, 'invite');
      }
    },
  },
  {
    page: `${LIST}/{id}/invitations`,
    state: 'refused',
    world: 'full',
    status: 409,
    shows: 'input[name="email"][aria-invalid="true"]',
    async reach(visitor) {
      const { world } = visitor;
      await comeTo(visitor, '/invitations');
      const id = new URL(visitor.page.url()).pathname.split('/').at(-2)!;
      const email = await world.addPerson('alan');
      await addTo(world, id, email, 'member');
      await visitor.fill({ email });
      await press(visitor, 'invite');
    },
  },
  {
    page: `${LIST}/{id}/domains`,
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(li)) button[value="add"]',
    reach: (visitor) => comeTo(visitor, '/domains'),
  },
  {
    page: `${LIST}/{id}/domains`,
    state: 'pending',
    world: 'full',
    shows: 'main li code',
    async reach(visitor) {
      await comeTo(visitor, '/domains');
      await visitor.fill({ domain: 'department.company.example' });
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/domains`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="domain"][aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/domains');
      await visitor.fill({ domain: 'gmail.com' });
      await press(visitor, 'add');
    },
  },
  {
    page: '/ui/account/delete',
    state: 'last-owner',
    world: 'full',
    shows: 'main:not(:has(form)) li a',
    async reach(visitor) {
      await comeTo(visitor, '');
      await visitor.open('/ui/account/delete');
    },
  },
];
