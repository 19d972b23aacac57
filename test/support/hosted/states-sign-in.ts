/** /ui/sign-in, and what leads away from it and back. */
import type { PageState } from './page-state.js';

const LONG_ADDRESS = `${'maximiliane.'.repeat(5)}von-und-zu-${'langenfeld.'.repeat(4)}@${'very-long-name.'.repeat(6)}example.com`;

export const signInStates: readonly PageState[] = [
  {
    page: '/ui/sign-in',
    state: 'everything-on',
    world: 'full',
    shows: 'input[name="address"][autocomplete="username webauthn"]',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/sign-in',
    state: 'simple',
    world: 'simple',
    shows: 'input[name="address"][autocomplete="username"]',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/sign-in',
    state: 'providers-only',
    world: 'providers',
    shows: 'main:not(:has(input[name="address"])) a[href*="provider=github"]',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/sign-in',
    state: 'known-address',
    world: 'full',
    shows: 'input[name="address"][value="ada@example.com"]',
    reach: (visitor) => visitor.begin('sign-in', { login_hint: 'ada@example.com' }),
  },
  {
    page: '/ui/sign-in',
    state: 'wrong-password',
    world: 'full',
    status: 400,
    shows: '.alert.error',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.signIn(address, 'not the password');
    },
  },
  {
    page: '/ui/sign-in',
    state: 'long-address',
    world: 'full',
    status: 400,
    shows: `.alert.error ~ form input[value="${LONG_ADDRESS}"]`,
    async reach(visitor) {
      await visitor.begin();
      await visitor.signIn(LONG_ADDRESS, 'not the password');
    },
  },
  {
    page: '/ui/sign-in',
    state: 'throttled',
    world: 'simple',
    status: 429,
    shows: '.alert.error',
    async reach(visitor) {
      const address = await visitor.world.addPerson('grace');
      await visitor.begin();
      for (let tries = 0; tries < 12 && visitor.status !== 429; tries++) {
        await visitor.signIn(address, `not the password ${tries}`);
      }
    },
  },
  {
    page: '/ui/code',
    state: 'asked-for-twice',
    world: 'full',
    shows: 'button[data-wait]',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.askForCode(address);
      await visitor.goTo('sign-in');
      await visitor.askForCode(address);
    },
  },
  {
    page: '/ui/sign-in',
    state: 'cookie-lost',
    world: 'full',
    status: 409,
    shows: '.alert',
    async reach(visitor) {
      await visitor.begin();
      await visitor.page.context().clearCookies();
      await visitor.signIn('ada@example.com');
    },
  },
  {
    page: '/ui/sign-in',
    state: 'one-account',
    world: 'full',
    shows: 'button[value="choose"]',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.signIn(address);
      await visitor.begin();
    },
  },
  {
    page: '/ui/sign-in',
    state: 'five-accounts',
    world: 'full',
    shows: 'li:nth-child(5) button[value="choose"]',
    async reach(visitor) {
      const { world } = visitor;
      const phone = `1555${String(Date.now()).slice(-7)}`;
      await world.addPerson('phone', { email: undefined, phone, phone_confirm: true });
      const people = [
        await world.addPerson('ada'),
        await world.addPerson('a.rather.long.name.of.somebody.with.many.names'),
        `+${phone}`,
        await world.addPerson('grace'),
        await world.addPerson('edsger'),
      ];
      for (const address of people) {
        await visitor.begin('sign-in', { prompt: 'login' });
        await visitor.signIn(address);
      }
      await visitor.begin();
    },
  },
  {
    page: '/ui/sign-in',
    state: 'another-account',
    world: 'full',
    shows: 'input[name="address"]',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.signIn(address);
      await visitor.begin();
      await visitor.press('a[href*="account=other"]');
    },
  },
  {
    page: '/ui/sign-in',
    state: 'hcaptcha',
    world: 'hcaptcha',
    shows: '.h-captcha',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/sign-in',
    state: 'turnstile-unsolved',
    world: 'turnstile',
    status: 400,
    shows: '.alert.error ~ form .cf-turnstile',
    async reach(visitor) {
      await visitor.begin();
      await visitor.signIn('ada@example.com');
    },
  },
  {
    page: '/ui/sign-in',
    state: 'branded',
    world: 'branded',
    shows: 'header img',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/provider',
    state: 'unknown',
    world: 'full',
    status: 400,
    shows: '.alert.error',
    async reach(visitor) {
      await visitor.begin();
      await visitor.goTo('provider', '&provider=none');
    },
  },
  {
    page: '/ui/return',
    state: 'denied',
    world: 'full',
    status: 400,
    shows: '.alert.error',
    async reach(visitor) {
      await visitor.begin();
      await visitor.goTo('return', '&error_code=access_denied');
    },
  },
  {
    page: '/ui/continue',
    state: 'leaving',
    world: 'full',
    shows: 'meta[http-equiv="refresh"]',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.signIn(address);
    },
  },
  {
    page: '/ui/signed-out',
    state: 'last-account',
    world: 'full',
    shows: 'a.button[href="sign-in"]',
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.begin();
      await visitor.signIn(address);
      await visitor.begin();
      await visitor.press('form[action^="sign-out"] button');
    },
  },
  {
    page: '/ui/error',
    state: 'with-id',
    world: 'full',
    shows: 'a.button[href="sign-in"]',
    reach: (visitor) => visitor.open('/ui/error?error_id=0f8fad5b-d9cb-469f-a165-70867728950e'),
  },
];
