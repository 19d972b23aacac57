/** The account page: name, addresses, password, data and the end of the account. */
import { freshEmail, freshPhone, password } from '../server.js';
import { manage, signInElsewhere } from './manage.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';

/** Asks for another address and another number. @returns the address */
async function changeAddresses(visitor: Visitor): Promise<string> {
  await manage(visitor, '/profile');
  const email = freshEmail();
  await visitor.fill({ phone: `+${freshPhone()}` });
  await visitor.press('button[value="phone"]');
  await visitor.fill({ email });
  await visitor.press('button[value="email"]');
  return email;
}

/** Asks for the code that a new password needs. */
async function askForPasswordCode(visitor: Visitor): Promise<string> {
  const address = await manage(visitor, '/password');
  await visitor.press('button[value="send"]');
  return address;
}

export const manageProfileStates: readonly PageState[] = [
  {
    page: '/ui/account/profile',
    state: 'saved',
    world: 'full',
    shows: '.alert[role="status"]',
    async reach(visitor) {
      await manage(visitor, '/profile');
      await visitor.fill({ name: 'Ada Lovelace' });
      await visitor.press('button[value="name"]');
    },
  },
  {
    page: '/ui/account/profile',
    state: 'waiting-for-codes',
    world: 'full',
    shows: 'main:has(#confirm_phone) #confirm_new',
    reach: changeAddresses,
  },
  {
    page: '/ui/account/profile',
    state: 'wrong-code',
    world: 'full',
    status: 403,
    shows: '.alert.error ~ form #confirm_new[aria-invalid="true"]',
    async reach(visitor) {
      await changeAddresses(visitor);
      await visitor.page.locator('#confirm_new').fill('000000');
      await visitor.press('button[value="confirm_new"]');
    },
  },
  {
    page: '/ui/account/profile',
    state: 'address-of-somebody-else',
    world: 'simple',
    status: 422,
    shows: '.alert.error ~ form input[name="email"][aria-invalid="true"]',
    async reach(visitor) {
      const taken = await visitor.world.addPerson('grace');
      await manage(visitor, '/profile');
      await visitor.fill({ email: taken });
      await visitor.press('button[value="email"]');
    },
  },
  {
    page: '/ui/account/password',
    state: 'code-first',
    world: 'simple',
    shows: 'main:not(:has(input[name="code"])) button[value="send"]',
    reach: (visitor) => manage(visitor, '/password'),
  },
  {
    page: '/ui/account/password',
    state: 'code-sent',
    world: 'simple',
    shows: '.alert[role="status"] ~ form input[name="code"]',
    reach: askForPasswordCode,
  },
  {
    page: '/ui/account/password',
    state: 'wrong-code',
    world: 'simple',
    status: 422,
    shows: '.alert.error ~ form input[name="code"][aria-invalid="true"]',
    async reach(visitor) {
      await askForPasswordCode(visitor);
      await visitor.fill({ code: '000000', password: 'another good password' });
      await visitor.press('button[value="save"]');
    },
  },
  {
    page: '/ui/account/password',
    state: 'same-password',
    world: 'full',
    status: 422,
    shows: '.alert.error ~ form input[name="password"][aria-invalid="true"]',
    async reach(visitor) {
      await manage(visitor, '/password');
      await visitor.fill({ password });
      await visitor.press('button[value="save"]');
    },
  },
  {
    page: '/ui/account/password',
    state: 'saved',
    world: 'full',
    shows: '.alert[role="status"]',
    async reach(visitor) {
      await manage(visitor, '/password');
      await visitor.fill({ password: 'another good password' });
      await visitor.press('button[value="save"]');
    },
  },
  {
    page: '/ui/account/download',
    state: 'outdated',
    world: 'full',
    status: 409,
    shows: '.alert.error',
    async reach(visitor) {
      await manage(visitor, '/download');
      await signInElsewhere(visitor);
      await visitor.press('main form button');
    },
  },
  {
    page: '/ui/account/delete',
    state: 'another-name',
    world: 'full',
    status: 400,
    shows: '.alert.error ~ form input[aria-invalid="true"]',
    async reach(visitor) {
      await manage(visitor, '/delete');
      await visitor.page.locator('main form input:not([type="hidden"])').fill('grace@example.com');
      await visitor.press('button.danger');
    },
  },
];
