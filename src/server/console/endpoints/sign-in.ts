import { forgetEndedSessions } from '../../../db/operator-sessions.js';
import { clientOf } from '../../endpoints/shared/client.js';
import type { Reply } from '../../http/types.js';
import type { App } from '../../runtime/app.js';
import { hasConsolePasskeys } from '../console-address.js';
import { consoleBody, defineConsole, objectOf, textField } from '../define-console.js';
import { operatorSessionTimes, sessionCookie } from '../operator.js';
import {
  beginLinkPassword,
  beginOperatorRegistration,
  finishLinkPasskey,
  finishLinkPassword,
  openLink,
  signInByLink,
} from '../operator-links.js';
import {
  beginOperatorPasskey,
  type OpenedSession,
  openProvenSession,
  provePasskey,
  provePassword,
} from '../operator-sign-in.js';

const text = { type: 'string' } as const;
export const operatorIdentity = objectOf({ id: text, name: text, role: text });

/** The token of the link, as it follows `#`. */
const linkField = { link: textField('What follows # in the link.') } as const;
export const responseFields = {
  challenge_id: textField('The challenge to answer.'),
  credential: { type: 'object', description: 'What the browser answered, in its JSON form (WebAuthn Level 3).' },
} as const;
export const passwordFields = {
  password: textField('The password.'),
  code: textField('The code of the authenticator app.'),
} as const;
export const ceremony = {
  description: 'Options in the JSON form of WebAuthn Level 3, and the challenge that the answer names.',
  body: objectOf({ challenge_id: text, options: { type: 'object' }, expires_at: { type: 'integer' } }),
} as const;
const signedIn = {
  description: 'The operator; the cookie of the session is set.',
  body: objectOf({ operator: operatorIdentity }),
  headers: { 'Set-Cookie': 'The session.' },
} as const;
export const responseErrors = [
  'passkeyChallengeRequired',
  'passkeyChallengeNotUuid',
  'webauthnChallengeNotFound',
  'webauthnChallengeExpired',
  'webauthnResponseUnreadable',
  'webauthnResponseFalse',
] as const;

export async function answerSession(app: App, { token, operator: { id, name, role } }: OpenedSession): Promise<Reply> {
  await forgetEndedSessions(app.db, operatorSessionTimes);
  return { status: 200, body: { operator: { id, name, role } }, headers: sessionCookie(app, token) };
}

export const getSignIn = defineConsole({
  method: 'GET',
  path: '/api/sign-in',
  role: 'none',
  id: 'readSignIn',
  tag: 'Sign-in',
  summary: 'Says how operators can sign in here.',
  answer: {
    description: 'Whether passkeys work under the address of the console.',
    body: objectOf({ passkeys: { type: 'boolean' } }),
  },
  handler: ({ config }) => ({ status: 200, body: { passkeys: hasConsolePasskeys(config) } }),
});

export const postSignInPassword = defineConsole({
  method: 'POST',
  path: '/api/sign-in/password',
  role: 'none',
  body: consoleBody({ name: textField('Name of the operator.'), ...passwordFields }, 'name', 'password', 'code'),
  id: 'signInWithPassword',
  tag: 'Sign-in',
  summary: 'Signs in with a password and the code of an authenticator app.',
  answer: signedIn,
  errors: ['operatorSignInRefused', 'signInThrottled'],
  async handler(app, request) {
    const proven = await provePassword(app, request.body);
    return answerSession(app, await openProvenSession(app, clientOf(request), proven));
  },
});

export const postSignInPasskeyOptions = defineConsole({
  method: 'POST',
  path: '/api/sign-in/passkey/options',
  role: 'none',
  id: 'beginPasskeySignIn',
  tag: 'Sign-in',
  summary: 'Begins a sign-in, or a step-up, with a passkey.',
  answer: ceremony,
  errors: ['operatorPasskeysOff'],
  handler: (app) => ({ status: 200, body: beginOperatorPasskey(app) }),
});

export const postSignInPasskey = defineConsole({
  method: 'POST',
  path: '/api/sign-in/passkey',
  role: 'none',
  body: consoleBody(responseFields, 'challenge_id', 'credential'),
  id: 'signInWithPasskey',
  tag: 'Sign-in',
  summary: 'Signs in with a passkey.',
  answer: signedIn,
  errors: ['operatorSignInRefused', ...responseErrors],
  async handler(app, request) {
    const { challenge_id: challengeId, credential } = request.body;
    const proven = await provePasskey(app, clientOf(request), { challengeId, credential });
    return answerSession(app, await openProvenSession(app, clientOf(request), proven));
  },
});

export const postLink = defineConsole({
  method: 'POST',
  path: '/api/link',
  role: 'none',
  body: consoleBody(linkField, 'link'),
  id: 'readLink',
  tag: 'Sign-in',
  summary: 'Says whose link it is and what it does. The link stays valid.',
  answer: {
    description: 'The operator. `signs_in`: the link signs in by itself, as those of npm start do.',
    body: objectOf({
      operator: operatorIdentity,
      signs_in: { type: 'boolean' },
      passkeys: { type: 'boolean', description: 'Whether passkeys work under the address of the console.' },
    }),
  },
  errors: ['operatorLinkUnknown'],
  async handler(app, request) {
    const { id, name, role, signs_in } = await openLink(app, request.body.link);
    const passkeys = hasConsolePasskeys(app.config);
    return { status: 200, body: { operator: { id, name, role }, signs_in, passkeys } };
  },
});

export const postLinkPasskeyOptions = defineConsole({
  method: 'POST',
  path: '/api/link/passkey/options',
  role: 'none',
  body: consoleBody(linkField, 'link'),
  id: 'beginLinkPasskey',
  tag: 'Sign-in',
  summary: 'Begins the registration of a passkey by the operator of a link.',
  answer: ceremony,
  errors: ['operatorLinkUnknown', 'operatorPasskeysOff'],
  async handler(app, request) {
    const { hash, id, name, role } = await openLink(app, request.body.link);
    const operator = { id, name, role: role as 'viewer' };
    return { status: 200, body: beginOperatorRegistration(app, hash, operator, []) };
  },
});

export const postLinkPasskey = defineConsole({
  method: 'POST',
  path: '/api/link/passkey',
  role: 'none',
  body: consoleBody({ ...linkField, ...responseFields }, 'link', 'challenge_id', 'credential'),
  id: 'finishLinkPasskey',
  tag: 'Sign-in',
  summary: 'Registers a passkey, uses up the link and signs in.',
  answer: signedIn,
  errors: ['operatorLinkUnknown', ...responseErrors],
  async handler(app, request) {
    const { link, challenge_id: challengeId, credential } = request.body;
    const response = { challengeId, credential };
    return answerSession(app, await finishLinkPasskey(app, clientOf(request), await openLink(app, link), response));
  },
});

export const postLinkAuthenticator = defineConsole({
  method: 'POST',
  path: '/api/link/authenticator',
  role: 'none',
  body: consoleBody(linkField, 'link'),
  id: 'beginLinkPassword',
  tag: 'Sign-in',
  summary: 'Makes a secret for an authenticator app, which a password needs. A former one of the link ends.',
  answer: {
    description: 'The secret in base32, as a URI, and as a QR code (SVG).',
    body: objectOf({ secret: text, uri: text, qr_code: text }),
  },
  errors: ['operatorLinkUnknown'],
  handler: async (app, request) => ({
    status: 200,
    body: await beginLinkPassword(app, await openLink(app, request.body.link)),
  }),
});

export const postLinkPassword = defineConsole({
  method: 'POST',
  path: '/api/link/password',
  role: 'none',
  body: consoleBody({ ...linkField, ...passwordFields }, 'link', 'password', 'code'),
  id: 'finishLinkPassword',
  tag: 'Sign-in',
  summary: 'Sets a password with the authenticator app, uses up the link and signs in.',
  answer: signedIn,
  errors: ['operatorLinkUnknown', 'operatorCodeWrong', 'weakPassword', 'passwordTooLong'],
  async handler(app, request) {
    const { link, password, code } = request.body;
    const given = { password, code };
    return answerSession(app, await finishLinkPassword(app, clientOf(request), await openLink(app, link), given));
  },
});

export const postLinkSession = defineConsole({
  method: 'POST',
  path: '/api/link/session',
  role: 'none',
  body: consoleBody(linkField, 'link'),
  id: 'signInByLink',
  tag: 'Sign-in',
  summary: 'Signs in with a link of npm start, and uses it up.',
  answer: signedIn,
  errors: ['operatorLinkUnknown'],
  handler: async (app, request) =>
    answerSession(app, await signInByLink(app, clientOf(request), await openLink(app, request.body.link))),
});
