import type { callerEntries } from '../../errors/caller-errors.js';
import type { Explanations } from './check-names.js';

export const callerExplanations = {
  noAuthorization: ['caller', 'The request has no header `Authorization: Bearer …` with an access token.'],
  badJwt: [
    'caller',
    'The token is expired, is signed with another key, or is no access token. `latchkey token` and `check keys` help.',
    'AUTH_JWT_SECRET',
    'AUTH_JWT_KEYS',
    'AUTH_JWT_VALID_METHODS',
    'AUTH_JWT_EXP',
  ],
  missingSubject: ['caller', 'The token has no sub: a service key was sent where a user is needed.'],
  subjectNotUuid: ['caller', 'sub of the token is no UUID: it was made by another issuer.'],
  sessionIdNotUuid: ['caller', 'session_id of the token is no UUID: it was made by another issuer.'],
  subjectNotFound: ['caller', 'The account of the token was deleted, or the token is of another installation.'],
  sessionNotFound: [
    'caller',
    'The session has ended: the user signed out, changed the password, or somebody ended it. Sign in again.',
  ],
  userBanned: ['ban', 'An administrator banned this user. Lift the ban on the page of the user.'],
  impersonationRefused: [
    'permission',
    'An operator acts for the user; what gets anybody into the account stays with the user.',
  ],
  notAdmin: ['caller', 'Only a token with a role of administrators may call this: check which key was sent.'],
  anonymousNotAllowed: ['permission', 'Anonymous users may not do this. Give the account an address first.'],
  audienceNotAllowed: [
    'caller',
    'X-JWT-AUD names an audience that is not listed.',
    'AUTH_JWT_AUDIENCES',
    'AUTH_JWT_AUD',
  ],
  audienceMismatch: [
    'caller',
    'The token is for another audience than X-JWT-AUD.',
    'AUTH_JWT_AUD',
    'AUTH_JWT_AUDIENCES',
  ],
} as const satisfies Explanations<typeof callerEntries>;
