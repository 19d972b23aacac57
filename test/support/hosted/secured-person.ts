/** People with second factors and passkeys, made over the API. */
import { Authenticator } from '../authenticator.js';
import { enrolTotp, openApp, type Session } from '../authenticator-app.js';
import { freshPhone, password } from '../server.js';
import type { World } from './worlds.js';

export interface Secured {
  readonly address: string;
  readonly phone: string;
  /** Of the authenticator app. */
  nextAppCode(): string;
}

/** Calls as one session does. */
function callAs(world: World, bearer: string) {
  return async (path: string, body: object = {}) => {
    const answer = await world.call('POST', path, { bearer, body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

export const sessionOf = async (world: World, email: string): Promise<Session> =>
  (await world.post('/token?grant_type=password', { email, password })).body as Session;

/** An account with a second factor of every kind, recovery codes and a device that is trusted, where it may be. */
export async function addSecuredPerson(world: World): Promise<Secured> {
  const address = await world.addPerson('ada');
  const session = await sessionOf(world, address);
  const { id: totpId, secret } = await enrolTotp(world, session);
  const app = openApp(secret);
  const first = callAs(world, session.access_token);
  const { id: appChallenge } = await first(`/factors/${totpId}/challenge`);
  const answer = { challenge_id: appChallenge, code: app.nextCode(), trust_device: { name: 'Work laptop' } };
  const raised = (await first(`/factors/${totpId}/verify`, answer)) as Session;
  const call = callAs(world, raised.access_token);
  const phone = freshPhone();
  const text = await call('/factors', { factor_type: 'phone', phone: `+${phone}`, friendly_name: 'mobile' });
  const { id: textChallenge } = await call(`/factors/${text.id}/challenge`);
  await call(`/factors/${text.id}/verify`, { challenge_id: textChallenge, code: await world.nextText(phone) });

  const key = await call('/factors', { factor_type: 'webauthn', friendly_name: 'Blue key' });
  const { id: keyChallenge, webauthn } = await call(`/factors/${key.id}/challenge`);
  const authenticator = new Authenticator({ origin: world.origin });
  const credential_response = authenticator.create(webauthn.credential_options.publicKey);
  await call(`/factors/${key.id}/verify`, {
    challenge_id: keyChallenge,
    webauthn: { type: 'create', credential_response },
  });
  await call('/factors/recovery-codes');
  await world.forgetLimits();
  return { address, phone, nextAppCode: app.nextCode };
}

/** Gives an account passkeys, named by their authenticators. */
export async function addPasskeys(world: World, address: string, count: number): Promise<void> {
  const call = callAs(world, (await sessionOf(world, address)).access_token);
  for (let made = 0; made < count; made++) {
    const { challenge_id, options } = await call('/passkeys/registration/options');
    const credential = new Authenticator({ origin: world.origin }).create(options);
    await call('/passkeys/registration/verify', { challenge_id, credential });
  }
}
