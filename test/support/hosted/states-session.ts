/** Second factors, and what a client asks for. */
import { addClient, authorize, REDIRECT_URI } from '../oauth-client.js';
import type { PageState } from './page-state.js';
import { addSecuredPerson } from './secured-person.js';
import type { Visitor } from './visitor.js';
import type { World } from './worlds.js';

/** Comes to /ui/mfa. @param other the factor in place of the app: a part of its link's text */
async function comeToFactor(visitor: Visitor, other?: string): Promise<void> {
  const { address } = await addSecuredPerson(visitor.world);
  await visitor.begin();
  await visitor.signIn(address);
  if (other !== undefined) await visitor.press(`a[href*="factor="]:has-text("${other}")`);
}

async function comeToEnrolment(visitor: Visitor): Promise<void> {
  await visitor.begin();
  await visitor.signIn(await visitor.world.addPerson('ada'));
}

const factorStates: readonly PageState[] = [
  {
    page: '/ui/mfa',
    state: 'app',
    world: 'full',
    shows: 'input[autocomplete="one-time-code"]',
    reach: (visitor) => comeToFactor(visitor),
  },
  {
    page: '/ui/mfa',
    state: 'app-wrong-code',
    world: 'full',
    status: 422,
    shows: '.alert.error',
    async reach(visitor) {
      await comeToFactor(visitor);
      await visitor.enterCode('000000');
    },
  },
  {
    page: '/ui/mfa',
    state: 'text',
    world: 'full',
    shows: 'main:not(:has(input[name="code"])) button[value="begin"]',
    reach: (visitor) => comeToFactor(visitor, '…'),
  },
  {
    page: '/ui/mfa',
    state: 'text-sent',
    world: 'full',
    shows: 'input[name="challenge_id"] ~ .field input[name="code"]',
    async reach(visitor) {
      await comeToFactor(visitor, '…');
      await visitor.press('button[value="begin"]');
    },
  },
  {
    page: '/ui/mfa',
    state: 'security-key',
    world: 'full',
    shows: 'main:not(:has(input[name="code"])) button[value="begin"]',
    reach: (visitor) => comeToFactor(visitor, 'Blue key'),
  },
  {
    page: '/ui/mfa',
    state: 'security-key-asked',
    world: 'full',
    needsScripts: true,
    shows: 'form[data-credential="ask"] button',
    async reach(visitor) {
      await comeToFactor(visitor, 'Blue key');
      await visitor.press('button[value="begin"]');
    },
  },
  {
    page: '/ui/mfa',
    state: 'recovery-code',
    world: 'full',
    shows: 'button[value="recovery"]',
    async reach(visitor) {
      await comeToFactor(visitor);
      await visitor.press('a[href*="factor=recovery"]');
    },
  },
  {
    page: '/ui/mfa',
    state: 'enrolment',
    world: 'strict',
    shows: 'main:not(:has(.qr)) button[value="enrol"]',
    reach: comeToEnrolment,
  },
  {
    page: '/ui/mfa',
    state: 'enrolment-secret',
    world: 'strict',
    shows: 'img.qr',
    async reach(visitor) {
      await comeToEnrolment(visitor);
      await visitor.press('button[value="enrol"]');
    },
  },
  {
    page: '/ui/mfa',
    state: 'enrolment-wrong-code',
    world: 'strict',
    status: 422,
    shows: '.alert.error ~ form input[name="code"]',
    async reach(visitor) {
      await comeToEnrolment(visitor);
      await visitor.press('button[value="enrol"]');
      await visitor.enterCode('000000');
    },
  },
  {
    page: '/ui/mfa',
    state: 'none-possible',
    world: 'unenrollable',
    shows: 'main:not(:has(form)) h1',
    reach: comeToEnrolment,
  },
];

/** Comes to /ui/consent from a client. */
export async function comeToConsent(
  visitor: Visitor,
  clientId: string,
  scope = 'openid email',
): Promise<{ readonly address: string }> {
  const { world } = visitor;
  const { location } = await authorize(world, { clientId, parameters: { scope } });
  const address = await world.addPerson('ada');
  await visitor.open(location.pathname + location.search);
  await visitor.signIn(address);
  return { address };
}

/** A client that registers itself. @returns its id */
async function registerClient(world: World, client_name: string): Promise<string> {
  const body = { redirect_uris: [REDIRECT_URI], client_name, token_endpoint_auth_method: 'none' };
  return (await world.call('POST', '/oauth/clients/register', { body })).body.client_id;
}

const EVERY_SCOPE = 'openid profile email phone offline_access files.read files.write';

const consentStates: readonly PageState[] = [
  {
    page: '/ui/consent',
    state: 'known-client',
    world: 'full',
    shows: 'main:not(:has(.alert)) button[value="approve"]',
    async reach(visitor) {
      await comeToConsent(visitor, (await addClient(visitor.world, { client_name: 'Meadow Notes' })).id);
    },
  },
  {
    page: '/ui/consent',
    state: 'registered-itself',
    world: 'full',
    shows: '.alert ~ form button[value="approve"]',
    async reach(visitor) {
      await comeToConsent(visitor, await registerClient(visitor.world, 'Your Bank'));
    },
  },
  {
    page: '/ui/consent',
    state: 'long-name-and-every-scope',
    world: 'full',
    shows: 'main li:nth-child(7)',
    async reach(visitor) {
      const client_name = 'Consolidated Amalgamated Spreadsheet Synchronisation Assistant (Professional Edition)';
      await comeToConsent(visitor, (await addClient(visitor.world, { client_name })).id, EVERY_SCOPE);
    },
  },
  {
    page: '/ui/consent',
    state: 'over',
    world: 'full',
    status: 404,
    shows: 'main:not(:has(form)) a.button',
    async reach(visitor) {
      await visitor.open('/ui/consent?authorization_id=0f8fad5b-d9cb-469f-a165-70867728950e');
      await visitor.signIn(await visitor.world.addPerson('ada'));
    },
  },
];

const refusedStates: readonly PageState[] = [
  {
    page: '/ui/refused',
    state: 'unknown-scope',
    world: 'full',
    status: 400,
    shows: 'a.button.plain[rel="noreferrer"]',
    async reach(visitor) {
      const client_id = await registerClient(visitor.world, 'Your Bank');
      const { location } = await authorize(visitor.world, {
        clientId: client_id,
        parameters: { response_type: 'token' },
      });
      await visitor.open(location.pathname + location.search);
    },
  },
  {
    page: '/ui/refused',
    state: 'not-ours',
    world: 'full',
    status: 404,
    shows: 'a.button[href*="account"]',
    reach: (visitor) => visitor.open('/ui/refused?to=https%3A%2F%2Fexample.com&proof=none'),
  },
];

export const sessionStates: readonly PageState[] = [...factorStates, ...consentStates, ...refusedStates];
