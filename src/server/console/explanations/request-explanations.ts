import type { requestEntries } from '../../errors/request-errors.js';
import type { serverEntries } from '../../errors/server-errors.js';
import type { Explanations } from './check-names.js';

const clientFault = 'The program that sent the request has to change: the msg of its answer says where.';

export const requestExplanations = {
  badJson: ['body', 'The body is not the JSON that the endpoint expects. The msg of the answer names the place.'],
  badVerificationParams: ['body', 'The body is not what /verify expects. The msg of the answer names the place.'],
  numberInexact: ['body', 'Numbers are doubles here, as in JavaScript: whole ones beyond 2^53 are sent as strings.'],
  malformedRequest: ['message', 'A broken or hostile client, or a proxy that changes requests: see docs/proxies.md.'],
  invalidParameter: ['input', clientFault],
  repeatedParameter: ['input', 'A parameter is there twice. Often a proxy or a link added it again.'],
  unsupportedGrantType: [
    'input',
    'grant_type belongs into the query, and is password, refresh_token, pkce or id_token.',
  ],
  requestTooLarge: ['message', 'Send less: large user_metadata is the usual cause.'],
  headersTooLarge: [
    'message',
    'Requests carry too many cookies or headers: often cookies of other applications of the host.',
  ],
  bodyTimeout: [
    'body',
    'The client or its network is slow, or a proxy holds the body back.',
    'AUTH_API_MAX_REQUEST_DURATION',
  ],
  notFound: ['endpoint', 'Look for a wrong base path: many clients add /auth/v1. Scanners ask for such paths, too.'],
  methodNotAllowed: ['endpoint', 'The path is right, the method is not: Allow of the answer names those there are.'],
} as const satisfies Explanations<typeof requestEntries>;

export const serverExplanations = {
  unexpectedFailure: ['server', 'A fault. The log has its cause under the request id: please report it.'],
  applicationRaised: ['server', 'A trigger of the application in this database raised this for the client.'],
  applicationSaving: [
    'server',
    'A trigger or rule of the application in this database undid the sign-up. The log has its message under the request id; latchkey check app-schema lists the triggers.',
  ],
  applicationUpdating: [
    'server',
    'A trigger or rule of the application in this database undid the change. The log has its message under the request id; latchkey check app-schema lists the triggers.',
  ],
  applicationDeleting: [
    'server',
    'A trigger or foreign key of the application in this database kept the account. The log has its message under the request id; latchkey check app-schema lists the triggers.',
  ],
  requestTimeout: ['deadline', 'Something took too long: look at the database, hooks and providers at this time.'],
  databaseUnavailable: [
    'database',
    'The database could not be reached or was too slow: `latchkey check db` tells more.',
  ],
  overloaded: [
    'capacity',
    'More requests than this server can do. The overview shows whether passwords or connections waited.',
  ],
  shuttingDown: ['server', 'The server was being stopped. Clients that retry after a second succeed.'],
} as const satisfies Explanations<typeof serverEntries>;
