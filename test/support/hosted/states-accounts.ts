/** New accounts, forgotten passwords, codes and links of mails. */
import { freshEmail, freshPhone, password } from '../server.js';
import type { PageState } from './page-state.js';
import { sessionOf } from './secured-person.js';
import type { Visitor } from './visitor.js';

/** Asks for a code with which a new password can be set. */
async function recover(visitor: Visitor, address: string): Promise<void> {
  await visitor.begin('recover');
  await visitor.fill({ address });
  await visitor.press('form[action^="recover"] button');
}

/** Comes to /ui/password by a forgotten password. @returns the address */
async function comeToPassword(visitor: Visitor): Promise<string> {
  const address = await visitor.world.addPerson('ada');
  await recover(visitor, address);
  await visitor.enterCode((await visitor.world.nextMail(address)).code);
  return address;
}

async function signUp(visitor: Visitor, given: string, page = 'sign-up'): Promise<void> {
  await visitor.begin(page);
  await visitor.fill({ address: freshEmail(), password: given });
  await visitor.press('form[action^="sign-up"] button[type="submit"]');
}

export const accountStates: readonly PageState[] = [
  {
    page: '/ui/sign-up',
    state: 'everything-on',
    world: 'full',
    shows: 'input[autocomplete="new-password"]',
    reach: (visitor) => visitor.begin('sign-up'),
  },
  {
    page: '/ui/sign-up',
    state: 'weak-password',
    world: 'simple',
    status: 422,
    shows: '.alert.error',
    reach: (visitor) => signUp(visitor, 'short'),
  },
  {
    page: '/ui/sign-up',
    state: 'closed',
    world: 'providers',
    shows: 'main:not(:has(form)) a[href*="sign-in"]',
    reach: (visitor) => visitor.begin('sign-up'),
  },
  {
    page: '/ui/sign-up',
    state: 'hcaptcha',
    world: 'hcaptcha',
    shows: '.h-captcha',
    reach: (visitor) => visitor.begin('sign-up'),
  },
  {
    page: '/ui/recover',
    state: 'empty',
    world: 'full',
    shows: 'input[name="address"][type="email"]',
    reach: (visitor) => visitor.begin('recover'),
  },
  {
    page: '/ui/recover',
    state: 'captcha-unsolved',
    world: 'hcaptcha',
    status: 400,
    shows: '.alert.error ~ form .h-captcha',
    reach: (visitor) => recover(visitor, 'ada@example.com'),
  },
  {
    page: '/ui/code',
    state: 'mailed',
    world: 'full',
    shows: 'button[data-wait]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.askForCode(await visitor.world.addPerson('ada'));
    },
  },
  {
    page: '/ui/code',
    state: 'again-at-once',
    world: 'simple',
    shows: 'button[data-wait="0"]:not([disabled])',
    reach: (visitor) => signUp(visitor, password),
  },
  {
    page: '/ui/code',
    state: 'wrong',
    world: 'full',
    status: 403,
    shows: '.alert.error',
    async reach(visitor) {
      await visitor.begin();
      await visitor.askForCode(await visitor.world.addPerson('ada'));
      await visitor.enterCode('000000');
    },
  },
  {
    page: '/ui/code',
    state: 'texted',
    world: 'full',
    shows: 'input[autocomplete="one-time-code"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.askForCode(`+${freshPhone()}`);
    },
  },
  {
    page: '/ui/password',
    state: 'forgotten',
    world: 'full',
    shows: 'input[autocomplete="new-password"]',
    reach: comeToPassword,
  },
  {
    page: '/ui/password',
    state: 'same-password',
    world: 'full',
    status: 422,
    shows: '.alert.error',
    async reach(visitor) {
      await comeToPassword(visitor);
      await visitor.fill({ password });
      await visitor.press('button[value="save"]');
    },
  },
  {
    page: '/ui/password',
    state: 'code-first',
    world: 'simple',
    shows: 'main:not(:has(input[name="code"])) button[value="send"]',
    reach: comeToPassword,
  },
  {
    page: '/ui/password',
    state: 'code-sent',
    world: 'simple',
    shows: '.alert[role="status"] ~ form input[name="code"]',
    async reach(visitor) {
      await comeToPassword(visitor);
      await visitor.press('button[value="send"]');
    },
  },
  {
    page: '/ui/password',
    state: 'leaked',
    world: 'leaked',
    shows: '.alert ~ form input[name="current_password"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.signIn(await visitor.world.addPerson('ada'));
    },
  },
  {
    page: '/ui/link',
    state: 'here',
    world: 'full',
    shows: 'form[action^="link"] button',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.askForCode(address);
      await visitor.open((await visitor.world.nextMail(address)).link!.href);
    },
  },
  {
    page: '/ui/link',
    state: 'on-another-device',
    world: 'full',
    shows: 'form[action^="link"] button',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.askForCode(address);
      await visitor.page.context().clearCookies();
      await visitor.open((await visitor.world.nextMail(address)).link!.href);
    },
  },
  {
    page: '/ui/link',
    state: 'used',
    world: 'full',
    status: 403,
    shows: '.alert.error ~ p a.button',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.askForCode(address);
      const { link, code } = await visitor.world.nextMail(address);
      await visitor.enterCode(code);
      await visitor.open(link!.href);
    },
  },
  {
    page: '/ui/link',
    state: 'half-way',
    world: 'simple',
    shows: 'main:not(:has(form)) h1',
    async reach(visitor) {
      const { world } = visitor;
      const [email, next] = [await world.addPerson('ada'), freshEmail()];
      const { access_token: bearer } = await sessionOf(world, email);
      await world.call('PUT', '/user', { bearer, body: { email: next } });
      await visitor.open((await world.nextMail(next)).link!.href);
      await visitor.press('form[action^="link"] button');
    },
  },
];
