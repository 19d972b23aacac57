/** The account page: what people manage themselves. */
import { addClient, authorize } from '../oauth-client.js';
import { password } from '../server.js';
import { manage, signInElsewhere } from './manage.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';
import { APPLICATION } from './worlds.js';

/** Allows a client something, on the consent page. */
async function allowClient(visitor: Visitor, client_name: string): Promise<void> {
  const redirect_uri = `${APPLICATION}/back`;
  const { location } = await authorize(visitor.world, {
    clientId: (await addClient(visitor.world, { client_name, redirect_uris: [redirect_uri] })).id,
    parameters: { scope: 'openid email files.read', redirect_uri },
  });
  await visitor.open(location.pathname + location.search);
  await visitor.press('button[value="choose"]');
  await visitor.press('button[value="approve"]');
}

async function comeToLogout(visitor: Visitor, more = ''): Promise<void> {
  const { id } = await addClient(visitor.world, { client_name: 'Meadow Notes' });
  await visitor.open(`/ui/logout?client_id=${id}${more}`);
}

/** Parts as they are at first. */
const parts = ['profile', 'password', 'passkeys', 'factors', 'identities', 'download', 'delete'] as const;

const partStates: readonly PageState[] = parts.flatMap((part): PageState[] => [
  {
    page: `/ui/account/${part}`,
    state: 'at-first',
    world: 'full',
    shows: 'main h1',
    reach: (visitor) => manage(visitor, `/${part}`),
  },
]);

export const manageStates: readonly PageState[] = [
  ...partStates,
  {
    page: '/ui/logout',
    state: 'question',
    world: 'full',
    shows: 'button[value="stay"]',
    async reach(visitor) {
      await manage(visitor);
      await comeToLogout(visitor);
    },
  },
  {
    page: '/ui/logout',
    state: 'nobody-signed-in',
    world: 'full',
    shows: 'main:not(:has(form)) a[href*="account"]',
    reach: (visitor) => comeToLogout(visitor),
  },
  {
    page: '/ui/logout',
    state: 'unknown-address',
    world: 'full',
    status: 400,
    shows: 'main:not(:has(form)) a.button',
    reach: (visitor) => comeToLogout(visitor, '&post_logout_redirect_uri=https%3A%2F%2Felsewhere.example'),
  },
  {
    page: '/ui/account',
    state: 'overview',
    world: 'full',
    shows: 'a[aria-current="page"]',
    reach: (visitor) => manage(visitor),
  },
  {
    page: '/ui/account',
    state: 'several-accounts',
    world: 'simple',
    shows: 'a[href*="sign-in"]',
    async reach(visitor) {
      await manage(visitor);
      await signInElsewhere(visitor);
      await visitor.open('/ui/account');
    },
  },
  {
    page: '/ui/account',
    state: 'from-an-application',
    world: 'simple',
    shows: `a[href^="${APPLICATION}"]`,
    async reach(visitor) {
      const address = await visitor.world.addPerson('ada');
      await visitor.open(`/ui/account?redirect_to=${encodeURIComponent(`${APPLICATION}/settings`)}`);
      await visitor.signIn(address);
    },
  },
  {
    page: '/ui/account',
    state: 'outdated',
    world: 'full',
    status: 409,
    shows: '.alert.error',
    async reach(visitor) {
      await manage(visitor);
      await signInElsewhere(visitor);
      await visitor.press('main form button');
    },
  },
  {
    page: '/ui/account/sessions',
    state: 'several',
    world: 'full',
    shows: 'main li:nth-child(3)',
    async reach(visitor) {
      const address = await manage(visitor, '/sessions');
      const agents = [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
        'curl/8.14.1',
      ];
      for (const agent of agents) {
        const body = { email: address, password };
        await visitor.world.call('POST', '/token?grant_type=password', { body, headers: { 'user-agent': agent } });
      }
      await visitor.open(visitor.page.url());
    },
  },
  {
    page: '/ui/account/sessions',
    state: 'outdated',
    world: 'full',
    status: 409,
    shows: '.alert.error',
    async reach(visitor) {
      const address = await manage(visitor, '/sessions');
      await visitor.world.post('/token?grant_type=password', { email: address, password });
      await visitor.open(visitor.page.url());
      await signInElsewhere(visitor);
      await visitor.press('main form button');
    },
  },
  {
    page: '/ui/account/apps',
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(form)) h1',
    reach: (visitor) => manage(visitor, '/apps'),
  },
  {
    page: '/ui/account/apps',
    state: 'several',
    world: 'full',
    shows: 'main form',
    async reach(visitor) {
      await manage(visitor, '/apps');
      await allowClient(visitor, 'Meadow Notes');
      await allowClient(visitor, 'Consolidated Amalgamated Spreadsheet Synchronisation Assistant');
      await visitor.open('/ui/account/apps');
    },
  },
  {
    page: '/ui/account/apps',
    state: 'outdated',
    world: 'full',
    status: 409,
    shows: '.alert.error',
    async reach(visitor) {
      await manage(visitor, '/apps');
      await allowClient(visitor, 'Meadow Notes');
      await visitor.open('/ui/account/apps');
      await signInElsewhere(visitor);
      await visitor.press('main form button');
    },
  },
];
