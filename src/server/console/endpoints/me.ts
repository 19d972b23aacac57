import { endOperatorSession, type ListedOperatorSession, readOperatorSessions } from '../../../db/operator-sessions.js';
import {
  deleteOperatorPasskey,
  insertOperatorPasskey,
  type OperatorPasskeyRow,
  readOperatorPasskeys,
} from '../../../db/operators.js';
import { readUuid } from '../../../db/uuid.js';
import { logAudit, storedAudit } from '../../accounts/audit.js';
import { clientOf } from '../../endpoints/shared/client.js';
import { apiError } from '../../errors.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { isProven, type OperatorCaller, operatorSessionTimes, STEP_UP_SECONDS, sessionCookie } from '../operator.js';
import { operatorEntry } from '../operator-audit.js';
import { beginOperatorRegistration, verifyOperatorRegistration } from '../operator-links.js';
import { provePasskey, provePassword, raiseSession } from '../operator-sign-in.js';
import {
  answerSession,
  ceremony,
  operatorIdentity,
  passwordFields,
  responseErrors,
  responseFields,
} from './sign-in.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const passkey = objectOf({ id: text, name: text, created_at: text, last_used_at: orNull('string') });
const session = objectOf({
  id: text,
  is_current: flag,
  method: text,
  user_agent: orNull('string'),
  ip: orNull('string'),
  created_at: text,
  used_at: text,
});

const viewPasskeyOf = ({ id, friendly_name: name, created_at, last_used_at }: OperatorPasskeyRow) => ({
  id,
  name,
  created_at,
  last_used_at,
});

export const getMe = defineConsole({
  method: 'GET',
  path: '/api/me',
  role: 'viewer',
  id: 'readMe',
  tag: 'Operators',
  summary: 'Returns the operator who is signed in, with passkeys and sessions.',
  answer: {
    description: 'The operator and the session. A step-up counts for `stepped_up_seconds` more.',
    body: objectOf({
      operator: operatorIdentity,
      has_password: flag,
      passkeys: listOf(passkey),
      session: objectOf({ id: text, method: text, ends_at: text, stepped_up_seconds: { type: 'integer' } }),
      sessions: listOf(session),
    }),
  },
  async handler({ db }, { caller }) {
    const { id, name, role, sessionId, method, endsAt, provenSecondsAgo, hasPassword } = caller;
    const [passkeys, sessions] = await Promise.all([
      readOperatorPasskeys(db, id),
      readOperatorSessions(db, id, operatorSessionTimes),
    ]);
    const stepped_up_seconds = Math.max(0, Math.floor(STEP_UP_SECONDS - provenSecondsAgo));
    const view = (one: ListedOperatorSession) => ({ ...one, is_current: one.id === sessionId });
    return {
      status: 200,
      body: {
        operator: { id, name, role },
        has_password: hasPassword,
        passkeys: passkeys.map(viewPasskeyOf),
        session: { id: sessionId, method, ends_at: endsAt, stepped_up_seconds },
        sessions: sessions.map(view),
      },
    };
  },
});

export const postMeStepUp = defineConsole({
  method: 'POST',
  path: '/api/me/step-up',
  role: 'viewer',
  body: consoleBody({ ...passwordFields, ...responseFields }),
  id: 'stepUp',
  tag: 'Sign-in',
  summary: 'Confirms who is there, with a passkey, or with password and code. The session gets another token.',
  answer: {
    description: 'Confirmed for ten minutes; the cookie of the session is set.',
    body: objectOf({ operator: operatorIdentity }),
    headers: { 'Set-Cookie': 'The session.' },
  },
  errors: ['operatorSignInRefused', 'signInThrottled', ...responseErrors],
  async handler(app, request) {
    const { password, code, challenge_id: challengeId, credential } = request.body;
    const client = clientOf(request);
    const proven =
      credential === undefined
        ? await provePassword(app, { name: request.caller.name, password: password ?? '', code: code ?? '' })
        : await provePasskey(app, client, { challengeId, credential });
    return answerSession(app, await raiseSession(app, client, request.caller, proven));
  },
});

export const deleteMeSession = defineConsole({
  method: 'DELETE',
  path: '/api/me/session',
  role: 'viewer',
  id: 'signOut',
  tag: 'Sign-in',
  summary: 'Signs out.',
  answer: { status: 204, description: 'Signed out; the cookie is removed.' },
  async handler(app, { id, caller }) {
    const audit = [operatorEntry({ operator: caller, requestId: id }, 'operator_signed_out', {})];
    await endOperatorSession(app.db, caller.id, caller.sessionId, storedAudit(app, audit));
    logAudit(app, id, audit);
    return { status: 204, headers: sessionCookie(app, null) };
  },
});

export const deleteMeSessionById = defineConsole({
  method: 'DELETE',
  path: '/api/me/sessions/{session_id}',
  role: 'viewer',
  id: 'endOwnSession',
  tag: 'Operators',
  summary: 'Ends a session of the operator who is signed in.',
  answer: { status: 204, description: 'It has ended, or there is none.' },
  async handler(app, { id, caller, params }) {
    const sessionId = readUuid(params.session_id);
    const audit = [
      operatorEntry({ operator: caller, requestId: id }, 'operator_session_ended', { session_id: sessionId }),
    ];
    const isEnded =
      sessionId !== null && (await endOperatorSession(app.db, caller.id, sessionId, storedAudit(app, audit)));
    if (isEnded) logAudit(app, id, audit);
    return { status: 204 };
  },
});

/** Whoever finds an open session must not be able to keep the access. @throws ApiError operatorStepUpNeeded */
function assertMayAddFactor(caller: OperatorCaller): void {
  if (caller.hasFactor && !isProven(caller)) throw apiError('operatorStepUpNeeded');
}

export const postMePasskeyOptions = defineConsole({
  method: 'POST',
  path: '/api/me/passkeys/options',
  role: 'viewer',
  id: 'beginOwnPasskey',
  tag: 'Operators',
  summary: 'Begins the registration of another passkey. Needs a step-up, except for the first one.',
  answer: ceremony,
  errors: ['operatorPasskeysOff', 'operatorStepUpNeeded'],
  async handler(app, { caller }) {
    assertMayAddFactor(caller);
    const held = await readOperatorPasskeys(app.db, caller.id);
    const exclude = held.map(({ credential_id }) => ({
      type: 'public-key' as const,
      id: credential_id.toString('base64url'),
    }));
    return { status: 200, body: beginOperatorRegistration(app, caller.sessionId, caller, exclude) };
  },
});

export const postMePasskey = defineConsole({
  method: 'POST',
  path: '/api/me/passkeys',
  role: 'viewer',
  body: consoleBody(responseFields, 'challenge_id', 'credential'),
  id: 'finishOwnPasskey',
  tag: 'Operators',
  summary: 'Registers another passkey. Needs a step-up, except for the first one.',
  answer: { description: 'The passkey.', body: passkey },
  errors: ['operatorStepUpNeeded', 'webauthnCredentialExists', ...responseErrors],
  async handler(app, request) {
    const { caller, body } = request;
    assertMayAddFactor(caller);
    const response = { challengeId: body.challenge_id, credential: body.credential };
    const created = await verifyOperatorRegistration(app, clientOf(request), caller.sessionId, response);
    const after = { name: created.friendlyName };
    const audit = [operatorEntry({ operator: caller, requestId: request.id }, 'operator_passkey_added', { after })];
    const row = await insertOperatorPasskey(app.db, caller.id, created, storedAudit(app, audit));
    if (row === undefined) throw apiError('webauthnCredentialExists');
    logAudit(app, request.id, audit);
    return { status: 200, body: viewPasskeyOf(row) };
  },
});

export const deleteMePasskey = defineConsole({
  method: 'DELETE',
  path: '/api/me/passkeys/{passkey_id}',
  role: 'viewer',
  stepUp: true,
  id: 'removeOwnPasskey',
  tag: 'Operators',
  summary: 'Removes a passkey, unless it is the last way to sign in.',
  answer: { status: 204, description: 'Removed.' },
  errors: ['operatorLastFactor'],
  async handler(app, { id, caller, params }) {
    const passkeyId = readUuid(params.passkey_id);
    const before = { passkey_id: passkeyId };
    const audit = [operatorEntry({ operator: caller, requestId: id }, 'operator_passkey_removed', { before })];
    const isGone =
      passkeyId !== null && (await deleteOperatorPasskey(app.db, caller.id, passkeyId, storedAudit(app, audit)));
    if (!isGone) throw apiError('operatorLastFactor');
    logAudit(app, id, audit);
    return { status: 204 };
  },
});
