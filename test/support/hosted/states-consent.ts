/** Requests of clients that were decided in another tab, or that the person cannot allow. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../admin.js';
import { addClient, authorize } from '../oauth-client.js';
import type { PageState } from './page-state.js';
import { comeToConsent } from './states-session.js';
import type { Visitor } from './visitor.js';
import type { World } from './worlds.js';

/** An organization with an owner of its own. @returns its id */
async function foundOrganization({ addPerson, call }: World, name = 'Meadow Farm'): Promise<string> {
  const owner_id = randomUUID();
  await addPerson('grace', { id: owner_id });
  const { body } = await asAdmin({ call })('POST', '/admin/organizations', { name, owner_id });
  return body.id;
}

/** Comes to the consent page of a client that asks for the organization. */
async function comeToChoice(visitor: Visitor, names: readonly string[]): Promise<void> {
  const { world } = visitor;
  const client = await addClient(world, { client_name: 'Meadow Notes' });
  const { location } = await authorize(world, { clientId: client.id, parameters: { scope: 'openid organization' } });
  const id = randomUUID();
  const address = await world.addPerson('ada', { id });
  for (const name of names) {
    const path = `/admin/organizations/${await foundOrganization(world, name)}/members`;
    await asAdmin(world)('POST', path, { user_id: id, roles: ['member'] });
  }
  await visitor.open(location.pathname + location.search);
  await visitor.signIn(address);
}

export const decidedStates: readonly PageState[] = [
  {
    page: '/ui/consent',
    state: 'for-organization',
    world: 'full',
    shows: 'form p',
    reach: (visitor) => comeToChoice(visitor, ['Meadow Farm']),
  },
  {
    page: '/ui/consent',
    state: 'which-organization',
    world: 'full',
    shows: 'select[name="organization_id"][required] option:nth-child(3)',
    reach: (visitor) =>
      comeToChoice(visitor, ['Meadow Farm', 'Consolidated Amalgamated Agricultural Cooperative of the Lower Valley']),
  },
  {
    page: '/ui/consent',
    state: 'not-a-member',
    world: 'full',
    status: 403,
    shows: 'main:not(:has(button[value="approve"])) button[value="deny"]',
    async reach(visitor) {
      const organization_id = await foundOrganization(visitor.world);
      await comeToConsent(visitor, (await addClient(visitor.world, { organization_id })).id);
    },
  },
  {
    page: '/ui/consent',
    state: 'decided',
    world: 'full',
    status: 400,
    shows: 'main:not(:has(form)) a.button[href="https://client.example.com/"]',
    async reach(visitor) {
      await comeToConsent(visitor, (await addClient(visitor.world, { client_name: 'Meadow Notes' })).id);
      const { page, world } = visitor;
      const form_token = await page.locator('input[name="form_token"]').first().inputValue();
      const form = { form_token, action: 'approve' };
      await page.request.post(page.url(), { form, headers: { origin: world.origin } });
      await visitor.press('button[value="approve"]');
    },
  },
];
