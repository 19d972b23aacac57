/** What OpenAPI says of the errors of an endpoint. */
import { catalogue, type ErrorName } from '../errors.js';
import { tokenFaults } from '../http/challenge.js';
import type { Route } from '../http/types.js';

export interface DescribedResponse {
  readonly description?: string;
  readonly content?: object;
}

/** One response per status, with its codes and messages. */
export function describeErrors(
  names: readonly ErrorName[],
  { errorPage, resourceErrors, scimErrors }: Pick<Route<never>, 'errorPage' | 'resourceErrors' | 'scimErrors'>,
): Record<string, DescribedResponse> {
  const asJson = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const asScim = { 'application/scim+json': { schema: { $ref: '#/components/schemas/ScimError' } } };
  const forPrograms = scimErrors === true ? asScim : asJson;
  const content = errorPage !== undefined ? { 'text/html': { schema: { type: 'string' } }, ...asJson } : forPrograms;
  const byStatus = new Map<number, Set<string>>();
  for (const name of new Set(names)) {
    const [usual, code, message] = catalogue[name];
    const status = resourceErrors === true && tokenFaults.has(name) ? 401 : usual;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(`\`${code}\` ${message}`));
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, messages]) => {
        const isChallenged = resourceErrors === true && (status === 401 || status === 403);
        const challenge = {
          'WWW-Authenticate': { description: 'RFC 6750 3, RFC 9449 7.1.', schema: { type: 'string' } },
        };
        const retry = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
        return [
          String(status),
          {
            description: [...messages].join('; '),
            ...(isChallenged ? { headers: challenge } : {}),
            ...(status === 429 || status === 503 ? { headers: retry } : {}),
            content,
          },
        ];
      }),
  );
}
