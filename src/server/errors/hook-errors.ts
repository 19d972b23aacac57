/** Hooks. */
import type { ErrorEntries } from './entry.js';

export const hookEntries = {
  hookTimeout: [422, 'hook_timeout', 'Failed to reach hook within maximum time of <seconds> seconds'],
  hookUnreachable: [422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries'],
  hookTooLarge: [422, 'hook_payload_over_size_limit', 'Payload size exceeded size limit of <limit> bytes'],
  hookContentType: [400, 'hook_payload_invalid_content_type', '<problem>'],
  hookBadJson: [500, 'unexpected_failure', 'Error unmarshaling JSON output.'],
  hookBadInput: [500, 'unexpected_failure', 'Invalid payload sent to hook'],
  hookUnauthorized: [500, 'unexpected_failure', 'Hook requires authorization token'],
  hookBadStatus: [500, 'unexpected_failure', 'Unexpected status code returned from hook: <status>'],
  hookUnavailable: [500, 'unexpected_failure', 'Service currently unavailable due to hook'],
  hookFailed: [500, 'unexpected_failure', 'Error running hook'],
  // 503 is our own: the hook is not called, since too many calls are in progress or the last ones failed.
  hookBusy: [503, 'service_unavailable', 'Service currently unavailable due to hook'],
  // The status is that of the hook's error object.
  hookRefused: [500, 'unexpected_failure', '<message>'],
  hookRefusedWith: [400, 'unknown', '<message>'],
  passwordAttemptRejected: [400, 'invalid_credentials', '<message>'],
  hookClaimsMissing: [500, 'unexpected_failure', 'output claims field is missing'],
  hookClaimsInvalid: [500, 'unexpected_failure', 'output claims do not conform to the expected schema: <reason>'],
} as const satisfies ErrorEntries;
