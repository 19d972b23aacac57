/** What a device asks for, by the code that it shows. */
import { addDeviceClient, beginDevice } from '../oauth-device.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';

/** Types a code on /ui/device and signs in. */
async function typeCode(visitor: Visitor, code: string): Promise<void> {
  await visitor.open('/ui/device');
  await visitor.fill({ code });
  await visitor.press('button[value="code"]');
  await visitor.signIn(await visitor.world.addPerson('ada'));
}

/** Comes to the question of a device. */
async function comeToQuestion(visitor: Visitor): Promise<void> {
  const client = await addDeviceClient(visitor.world, { client_name: 'Meadow TV' });
  const { user_code } = await beginDevice(visitor.world, client, { scope: 'openid email' });
  await typeCode(visitor, user_code!);
}

export const deviceStates: readonly PageState[] = [
  {
    page: '/ui/device',
    state: 'code',
    world: 'full',
    shows: 'main:not(:has(.alert)) input[name="code"]',
    reach: (visitor) => visitor.open('/ui/device'),
  },
  {
    page: '/ui/device',
    state: 'wrong-code',
    world: 'full',
    status: 404,
    shows: '.alert.error ~ form input[name="code"]',
    reach: (visitor) => typeCode(visitor, 'BCDF-GHJK'),
  },
  {
    page: '/ui/device',
    state: 'question',
    world: 'full',
    shows: '.alert ~ form button[value="approve"]',
    reach: comeToQuestion,
  },
  {
    page: '/ui/device',
    state: 'approved',
    world: 'full',
    shows: 'main:not(:has(form)) h1',
    async reach(visitor) {
      await comeToQuestion(visitor);
      await visitor.press('button[value="approve"]');
    },
  },
  {
    page: '/ui/device',
    state: 'denied',
    world: 'full',
    shows: 'main:not(:has(form)) h1',
    async reach(visitor) {
      await comeToQuestion(visitor);
      await visitor.press('button[value="deny"]');
    },
  },
];
