/** Sign-in at companies: the address comes first, and leads to a password or to the identity provider of the company. */
import type { PageState } from './page-state.js';

export const companyStates: readonly PageState[] = [
  {
    page: '/ui/sign-in',
    state: 'address-first',
    world: 'company',
    shows: 'form:not(:has(input[type="password"])) button[value="next"]',
    reach: (visitor) => visitor.begin(),
  },
  {
    page: '/ui/sign-in',
    state: 'password-after-address',
    world: 'company',
    shows: 'form:has(input[name="address"][value="ada@example.com"]) input[type="password"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.goOnWith('ada@example.com');
    },
  },
  {
    page: '/ui/sign-up',
    state: 'with-company',
    world: 'company',
    shows: 'a[href^="company"]',
    reach: (visitor) => visitor.begin('sign-up'),
  },
  {
    page: '/ui/company',
    state: 'field',
    world: 'company',
    shows: 'input[name="address"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.press('a[href^="company"]');
    },
  },
  {
    page: '/ui/company',
    state: 'unknown-domain',
    world: 'company',
    status: 404,
    shows: 'input[value="nothing.example"][aria-invalid]',
    async reach(visitor) {
      await visitor.begin('company');
      await visitor.fill({ address: 'nothing.example' });
      await visitor.press('main button');
    },
  },
  {
    page: '/ui/provider',
    state: 'to-company',
    world: 'company',
    shows: 'html:has(meta[http-equiv="refresh"]) main a[href*="step=password"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.goOnWith('ada@acme.example');
    },
  },
  {
    page: '/ui/return',
    state: 'company-refused',
    world: 'company',
    status: 422,
    shows: '.alert.error ~ form button[value="next"]',
    async reach(visitor) {
      await visitor.begin();
      await visitor.goTo('return', '&error_code=saml_relay_state_expired');
    },
  },
];
