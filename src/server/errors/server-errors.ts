/** Faults of the server, its database and its queues. */
import type { ErrorEntries } from './entry.js';

export const serverEntries = {
  unexpectedFailure: [500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'],
  requestTimeout: [503, 'request_timeout', 'Processing this request timed out, please retry after a moment.'],
  databaseUnavailable: [503, 'service_unavailable', 'The service is not available right now, please retry.'],
  overloaded: [503, 'service_unavailable', 'The server is busy, please retry.'],
  shuttingDown: [503, 'service_unavailable', 'The server is shutting down, please retry.'],
} as const satisfies ErrorEntries;
