/** The pages of organizations. */
import { manage } from './manage.js';
import { addTo, comeTo, found, LIST, LONG_NAME, press } from './organizations.js';
import type { PageState } from './page-state.js';

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
