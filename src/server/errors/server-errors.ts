/** Faults of the server, its database and its queues. */
import type { ErrorEntries } from './entry.js';

export const serverEntries = {
  unexpectedFailure: [500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'],
  // A trigger of the application in the same database: the text and status that it raised (docs/application-database.md).
  applicationRaised: [500, 'unexpected_failure', '<message>'],
  applicationSaving: [500, 'unexpected_failure', 'Database error saving new user'],
  applicationUpdating: [500, 'unexpected_failure', 'Error updating user'],
  applicationDeleting: [500, 'unexpected_failure', 'Database error deleting user'],
  requestTimeout: [503, 'request_timeout', 'Processing this request timed out, please retry after a moment.'],
  databaseUnavailable: [503, 'service_unavailable', 'The service is not available right now, please retry.'],
  overloaded: [503, 'service_unavailable', 'The server is busy, please retry.'],
  shuttingDown: [503, 'service_unavailable', 'The server is shutting down, please retry.'],
} as const satisfies ErrorEntries;
