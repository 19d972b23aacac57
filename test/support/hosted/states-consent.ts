/** A request of a client that was decided in another tab. */
import { addClient } from '../oauth-client.js';
import type { PageState } from './page-state.js';
import { comeToConsent } from './states-session.js';

export const decidedStates: readonly PageState[] = [
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
