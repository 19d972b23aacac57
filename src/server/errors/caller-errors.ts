/** Who may call. */
import type { ErrorEntries } from './entry.js';

export const callerEntries = {
  noAuthorization: [401, 'no_authorization', 'This endpoint requires a valid Bearer token'],
  badJwt: [403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature, <detail>'],
  missingSubject: [403, 'bad_jwt', 'invalid claim: missing sub claim'],
  subjectNotUuid: [400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
  sessionIdNotUuid: [403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID'],
  subjectNotFound: [403, 'user_not_found', 'User from sub claim in JWT does not exist'],
  sessionNotFound: [403, 'session_not_found', 'Session from session_id claim in JWT does not exist'],
  userBanned: [403, 'user_banned', 'User is banned'],
  impersonationRefused: [403, 'impersonated', 'An operator who acts for a user cannot do this'],
  notAdmin: [403, 'not_admin', 'User not allowed'],
  anonymousNotAllowed: [403, 'no_authorization', 'Anonymous user not allowed to perform these actions'],
  audienceNotAllowed: [400, 'validation_failed', 'The audience in X-JWT-AUD is not one of this server'],
  audienceMismatch: [400, 'validation_failed', "Token audience doesn't match request audience"],
} as const satisfies ErrorEntries;
