/** Users with passkeys, for tests of the API. */

import { type AdminServer, openAdminServer } from './admin.js';
import { Authenticator, type AuthenticatorOptions, type Lies, TEST_ORIGIN } from './authenticator.js';
import { type Answer, freshEmail, password, type TestServer } from './server.js';
import type { Test } from './tap.js';

export const RP_ID = 'example.com';

export const passkeySettings = {
  PASSKEY_ENABLED: 'true',
  WEBAUTHN_RP_ID: RP_ID,
  WEBAUTHN_RP_DISPLAY_NAME: 'Example',
  WEBAUTHN_RP_ORIGINS: TEST_ORIGIN,
};

export const openPasskeyServer = (t: Test, settings: Record<string, string> = {}): Promise<AdminServer> =>
  openAdminServer(t, { ...passkeySettings, ...settings });

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly bearer: string;
}

export async function signUpUser(server: TestServer): Promise<TestUser> {
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password });
  return { id: body.user.id, email, bearer: body.access_token };
}

/** POST /passkeys/registration/options */
export const beginRegistration = ({ call }: TestServer, { bearer }: TestUser): Promise<Answer> =>
  call('POST', '/passkeys/registration/options', { bearer, body: {} });

/** POST /passkeys/registration/verify */
export const finishRegistration = (
  { call }: TestServer,
  { bearer }: TestUser,
  challengeId: string,
  credential: unknown,
): Promise<Answer> =>
  call('POST', '/passkeys/registration/verify', { bearer, body: { challenge_id: challengeId, credential } });

export async function tryRegister(
  server: TestServer,
  user: TestUser,
  authenticator: Authenticator,
  lies: Lies = {},
): Promise<Answer> {
  const { body } = await beginRegistration(server, user);
  return finishRegistration(server, user, body.challenge_id, authenticator.create(body.options, lies));
}

export interface Registered {
  readonly user: TestUser;
  readonly authenticator: Authenticator;
  readonly id: string;
}

/** A new user with a passkey. */
export async function registerUser(server: TestServer, options: AuthenticatorOptions = {}): Promise<Registered> {
  const user = await signUpUser(server);
  const authenticator = new Authenticator(options);
  const { status, body } = await tryRegister(server, user, authenticator);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { user, authenticator, id: body.id };
}

/** POST /passkeys/authentication/options */
export const beginSignIn = ({ post }: TestServer, body: unknown = {}): Promise<Answer> =>
  post('/passkeys/authentication/options', body);

/** POST /passkeys/authentication/verify */
export const finishSignIn = ({ post }: TestServer, challengeId: string, credential: unknown): Promise<Answer> =>
  post('/passkeys/authentication/verify', { challenge_id: challengeId, credential });

export async function trySignIn(server: TestServer, authenticator: Authenticator, lies: Lies = {}): Promise<Answer> {
  const { body } = await beginSignIn(server);
  return finishSignIn(server, body.challenge_id, authenticator.get(body.options, lies));
}

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
