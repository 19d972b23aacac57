import { updateOwnUser } from '../accounts/update-user.js';
import { renderUser } from '../accounts/user-view.js';
import { json } from '../http/types.js';
import { isClientToken } from '../sessions/find-caller.js';
import { toldUser } from '../sessions/told-metadata.js';
import { clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { METADATA_BODY_BYTES, ok, redirectQuery, signUpErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** Authentication has read the account: one statement in all. */
export const getUser = defineEndpoint({
  method: 'GET',
  path: '/user',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  callerMayBeClient: true,
  callerMayBeImpersonated: true,
  secondFactor: 'not asked',
  callerMayLag: true,
  id: 'getUser',
  tag: 'Account',
  summary: 'Returns the user.',
  answers: ok('User', 'The user.'),
  handler(_app, { caller: { user, claims } }) {
    return { status: 200, json: renderUser(isClientToken(claims) ? toldUser(user) : user) };
  },
});

export const putUser = defineEndpoint({
  method: 'PUT',
  path: '/user',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'asked',
  callerMayBeLimited: true,
  maxBodyBytes: METADATA_BODY_BYTES,
  limit: 'user',
  query: redirectQuery,
  body: fields(
    'email',
    'phone',
    'password',
    'current_password',
    'nonce',
    'data',
    'app_metadata',
    'channel',
    'code_challenge',
    'code_challenge_method',
  ),
  id: 'updateUser',
  tag: 'Account',
  summary: 'Changes the user; addresses and numbers after confirmation.',
  answers: ok('User', 'The user after the change.'),
  errors: [
    ...signUpErrors,
    'weakPassword',
    'samePassword',
    'currentPasswordRequired',
    'currentPasswordInvalid',
    'signInThrottled',
    'passwordResetRequired',
    'reauthenticationNeeded',
    'reauthenticationNotValid',
    'emailExists',
    'phoneExists',
    'anonymousPassword',
    'appMetadataNotAdmin',
    'ssoUserManaged',
    'overloaded',
  ],
  async handler(app, request) {
    const { body } = request;
    return json(
      await updateOwnUser(app, clientOf(request), request.caller, {
        email: body.email || null,
        phone: body.phone || null,
        password: body.password ?? null,
        currentPassword: body.current_password || null,
        nonce: body.nonce || null,
        data: body.data ?? null,
        appMetadata: body.app_metadata ?? null,
        channel: body.channel ?? '',
        codeChallenge: body.code_challenge ?? '',
        codeChallengeMethod: body.code_challenge_method ?? '',
        redirectTo: redirectOf(app, request),
      }),
    );
  },
});
