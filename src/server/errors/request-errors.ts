/** Requests that cannot be understood. */
import type { ErrorEntries } from './entry.js';

export const requestEntries = {
  badJson: [400, 'bad_json', 'Could not parse request body as JSON: <reason>'],
  badVerificationParams: [400, 'bad_json', 'Could not read verification params: <reason>'],
  numberInexact: [
    422,
    'validation_failed',
    'The number at <member> is larger or more precise than can be kept: send it as a string',
  ],
  malformedRequest: [400, 'validation_failed', 'Malformed HTTP request: <reason>'],
  invalidParameter: [400, 'validation_failed', '<reason>'],
  repeatedParameter: [400, 'validation_failed', 'Query parameter <name> may be given only once'],
  unsupportedGrantType: [400, 'invalid_credentials', 'unsupported_grant_type'],
  requestTooLarge: [413, 'request_entity_too_large', 'Request body too large (max <limit> bytes)'],
  headersTooLarge: [431, 'validation_failed', 'Request header fields too large'],
  bodyTimeout: [408, 'request_timeout', 'The request body did not arrive in time.'],
  notFound: [404, 'not_found', 'No such endpoint: <method> <path>'],
  methodNotAllowed: [405, 'method_not_allowed', 'Method <method> is not allowed here, use <allowed>'],
} as const satisfies ErrorEntries;
