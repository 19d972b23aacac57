/** The account page: passkeys, second factors and identities. */
import { freshPhone } from '../server.js';
import { manage, manageSecured } from './manage.js';
import type { PageState } from './page-state.js';
import { addPasskeys } from './secured-person.js';
import type { Visitor } from './visitor.js';

/** Begins to add a factor. @param kind value of the button */
async function addFactor(visitor: Visitor, kind: 'totp' | 'phone' | 'webauthn', fields = {}): Promise<void> {
  await manage(visitor, '/factors');
  await visitor.page.locator(`details:has(button[value="${kind}"]) summary`).click();
  await visitor.fill(fields);
  await visitor.press(`button[value="${kind}"]`);
}

async function managePasskeys(visitor: Visitor, count: number): Promise<void> {
  const address = await manage(visitor, '/passkeys');
  await addPasskeys(visitor.world, address, count);
  await visitor.open(visitor.page.url());
}

const passkeyStates: readonly PageState[] = [
  {
    page: '/ui/account/passkeys',
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(2) details',
    async reach(visitor) {
      await managePasskeys(visitor, 2);
      await visitor.page.locator('summary').first().click();
    },
  },
  {
    page: '/ui/account/passkeys',
    state: 'name-too-long',
    world: 'full',
    status: 400,
    shows: '.alert.error ~ ul details[open] input[aria-invalid="true"]',
    async reach(visitor) {
      await managePasskeys(visitor, 1);
      await visitor.page.locator('summary').first().click();
      await visitor.fill({ friendly_name: ' ' });
      await visitor.press('button[value="rename"]');
    },
  },
];

const factorStates: readonly PageState[] = [
  {
    page: '/ui/account/factors',
    state: 'every-kind',
    world: 'full',
    shows: 'main:has(form:has(input[value="devices"])) li:nth-child(3)',
    reach: (visitor) => manageSecured(visitor, '/factors'),
  },
  {
    page: '/ui/account/factors',
    state: 'secret-of-an-app',
    world: 'full',
    shows: 'img.qr',
    reach: (visitor) => addFactor(visitor, 'totp'),
  },
  {
    page: '/ui/account/factors',
    state: 'wrong-code',
    world: 'full',
    status: 422,
    shows: '.alert.error ~ ul input[name="code"][aria-invalid="true"]',
    async reach(visitor) {
      await addFactor(visitor, 'totp');
      await visitor.enterCode('000000');
    },
  },
  {
    page: '/ui/account/factors',
    state: 'number-unfinished',
    world: 'full',
    shows: 'main li .tag',
    reach: (visitor) => addFactor(visitor, 'phone', { phone: `+${freshPhone()}` }),
  },
  {
    page: '/ui/account/factors',
    state: 'text-sent',
    world: 'full',
    shows: 'main li input[name="challenge_id"]',
    async reach(visitor) {
      await addFactor(visitor, 'phone', { phone: `+${freshPhone()}`, friendly_name: 'Work' });
      await visitor.press('button[value="begin"]');
    },
  },
  {
    page: '/ui/account/factors',
    state: 'security-key-asked',
    world: 'full',
    needsScripts: true,
    shows: 'form[data-credential="create"] button',
    async reach(visitor) {
      await addFactor(visitor, 'webauthn');
      await visitor.press('button[value="begin"]');
    },
  },
  {
    page: '/ui/account/factors',
    state: 'new-recovery-codes',
    world: 'full',
    shows: 'ul.codes li:nth-child(10)',
    async reach(visitor) {
      await manageSecured(visitor, '/factors');
      await visitor.press('form:has(input[value="recovery_renew"]) button');
    },
  },
];

const identityStates: readonly PageState[] = [
  {
    page: '/ui/account/identities',
    state: 'no-linking',
    world: 'simple',
    shows: 'main:not(:has(form)) li',
    reach: (visitor) => manage(visitor, '/identities'),
  },
  {
    page: '/ui/account/identities',
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(2) form',
    async reach(visitor) {
      const address = await manage(visitor, '/identities');
      await visitor.world.database.admin.query(
        `insert into identities (user_id, provider, provider_id, identity_data)
         select id, 'github', id::text, jsonb_build_object('sub', id, 'email', email) from users where email = $1`,
        [address],
      );
      await visitor.open(visitor.page.url());
    },
  },
  {
    page: '/ui/account/identities',
    state: 'unknown-provider',
    world: 'full',
    status: 400,
    shows: '.alert.error ~ .stack form',
    async reach(visitor) {
      await manage(visitor, '/identities');
      await visitor.page
        .locator('input[name="provider"]')
        .first()
        .evaluate((field) => {
          field.setAttribute('value', 'none');
        });
      await visitor.press('.stack form button');
    },
  },
  {
    page: '/ui/return',
    state: 'link-refused',
    world: 'full',
    status: 422,
    shows: '.alert.error ~ .stack form',
    async reach(visitor) {
      await manage(visitor, '/identities');
      const [, flow] = /flow=([^&]+)/.exec(visitor.page.url())!;
      await visitor.world.database.admin.query(`update page_flows set subject = 'identities' where id = $1`, [flow]);
      await visitor.goTo('return', '&error_code=identity_already_exists');
    },
  },
];

export const manageWaysStates: readonly PageState[] = [...passkeyStates, ...factorStates, ...identityStates];
