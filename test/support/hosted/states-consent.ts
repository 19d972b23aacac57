/** Requests of clients that were decided in another tab, or that the person cannot allow. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../admin.js';
import { addClient } from '../oauth-client.js';
import type { PageState } from './page-state.js';
import { comeToConsent } from './states-session.js';
import type { World } from './worlds.js';

/** An organization with an owner of its own. @returns its id */
async function foundOrganization({ addPerson, call }: World): Promise<string> {
  const owner_id = randomUUID();
  await addPerson('grace', { id: owner_id });
  const { body } = await asAdmin({ call })('POST', '/admin/organizations', { name: 'Meadow Farm', owner_id });
  return body.id;
}

export const decidedStates: readonly PageState[] = [
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
