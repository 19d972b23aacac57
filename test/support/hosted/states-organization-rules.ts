/** Policies of organizations, and who has access to them beside their members. */
import { openFakeIdp } from '../fake-saml-idp.js';
import { comeTo, comeToAtCompany, LIST, press } from './organizations.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';

/** Entity ids are those of one world. */
let idps = 0;

async function fillMetadata({ page }: Visitor, xml: string): Promise<void> {
  await page.locator('main > details summary').first().click();
  await page.locator('main > details textarea').fill(xml);
}

export const organizationRuleStates: readonly PageState[] = [
  {
    page: `${LIST}/{id}`,
    state: 'needs-factor',
    world: 'full',
    status: 403,
    shows: 'a.button[href*="factors"]',
    reach: (visitor) => comeTo(visitor, '', 'member', { require_aal2: true }),
  },
  {
    page: `${LIST}/{id}`,
    state: 'needs-company',
    world: 'full',
    status: 403,
    shows: 'a.button.plain[href*="factors"]',
    reach: (visitor) => comeTo(visitor, '', 'owner', { require_sso: true }),
  },
  {
    page: `${LIST}/{id}/domains`,
    state: 'joining',
    world: 'full',
    shows: 'main li details[open] input[name="auto_join"]',
    async reach(visitor) {
      await comeTo(visitor, '/domains');
      await visitor.fill({ domain: 'department.company.example' });
      await press(visitor, 'add');
      await visitor.page.locator('main li summary').click();
    },
  },
  {
    page: `${LIST}/{id}/policies`,
    state: 'some',
    world: 'full',
    shows: 'input[name="session_hours"][value="12"]',
    reach: (visitor) =>
      comeTo(visitor, '/policies', 'owner', {
        session_hours: 12,
        allowed_domains: ['company.example', 'department.company.example'],
      }),
  },
  {
    page: `${LIST}/{id}/policies`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'textarea[aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/policies');
      await visitor.page.locator('textarea').fill('no domain');
      await press(visitor, 'save');
    },
  },
  {
    page: `${LIST}/{id}/sso`,
    state: 'none',
    world: 'company',
    shows: 'main:not(:has(li)) details[open] input[name="issuer"]',
    async reach(visitor) {
      await comeToAtCompany(visitor, '/sso');
      await visitor.page.locator('main > details summary').last().click();
    },
  },
  {
    page: `${LIST}/{id}/sso`,
    state: 'with-rule',
    world: 'company',
    shows: 'main li details[open] details[open] input[name="attribute"]',
    async reach(visitor) {
      const { page } = visitor;
      await comeToAtCompany(visitor, '/sso');
      await fillMetadata(visitor, openFakeIdp(`idp${++idps}.department.company.example`).metadata());
      await press(visitor, 'add');
      await page.locator('main li summary').first().click();
      await page.locator('main li details details summary').last().click();
      await visitor.fill({ attribute: 'groups', value: 'Research and development' });
      await press(visitor, 'map');
      await page.locator('main li summary').first().click();
      await page.locator('main li details details summary').last().click();
    },
  },
  {
    page: `${LIST}/{id}/sso`,
    state: 'refused',
    world: 'company',
    status: 400,
    shows: 'textarea[aria-invalid="true"]',
    async reach(visitor) {
      await comeToAtCompany(visitor, '/sso');
      await fillMetadata(visitor, '<EntityDescriptor/>');
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/clients`,
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(li)) details[open] button[value="add"]',
    reach: (visitor) => comeTo(visitor, '/clients'),
  },
  {
    page: `${LIST}/{id}/clients`,
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(2) details[open] button[value="renew"]',
    async reach(visitor) {
      await comeTo(visitor, '/clients');
      for (const client_name of ['Nightly import', 'Reports of the department of research and development']) {
        const add = visitor.page.locator('main > details:not([open]) summary');
        if ((await add.count()) > 0) await add.click();
        await visitor.fill({ client_name });
        await press(visitor, 'add');
        await visitor.press('main a.button');
      }
      await visitor.page.locator('main li:nth-child(2) summary').click();
    },
  },
  {
    page: `${LIST}/{id}/clients`,
    state: 'secret',
    world: 'full',
    shows: 'main:not(:has(form)) code.secret',
    async reach(visitor) {
      await comeTo(visitor, '/clients');
      await visitor.fill({ client_name: 'Nightly import' });
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/clients`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="client_name"][aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/clients');
      await visitor.fill({ client_name: 'Nightly \u202e import' });
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/scim`,
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(li)) details[open] button[value="add"]',
    reach: (visitor) => comeTo(visitor, '/scim'),
  },
  {
    page: `${LIST}/{id}/scim`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'input[name="expires_at"][aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/scim');
      // The browser would refuse it by itself.
      await visitor.page.evaluate('document.querySelector("input[type=date]").removeAttribute("min")');
      await visitor.fill({ name: 'Entra ID', expires_at: '2020-01-31' });
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/scim`,
    state: 'token',
    world: 'full',
    shows: 'main:not(:has(form)) p:nth-of-type(5) code.secret',
    async reach(visitor) {
      await comeTo(visitor, '/scim');
      await visitor.fill({ name: 'Entra ID' });
      await press(visitor, 'add');
    },
  },
  {
    page: `${LIST}/{id}/scim`,
    state: 'full',
    world: 'full',
    shows: 'main li:nth-child(2) details[open] button[value="end"]',
    async reach(visitor) {
      await comeTo(visitor, '/scim');
      for (const name of ['Entra ID', 'Directory of the department of research and development']) {
        const add = visitor.page.locator('main > details:not([open]) summary');
        if ((await add.count()) > 0) await add.click();
        await visitor.fill({ name, expires_at: '2099-12-31' });
        await press(visitor, 'add');
        await visitor.press('main a.button');
      }
      await visitor.page.locator('main li:nth-child(2) summary').click();
    },
  },
];
