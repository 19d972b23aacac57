/** What entries of several files are made of. */
import type { RefusalName } from '../errors.js';
import type { DocumentedAnswer, QueryParameter } from './contract.js';

export const redirectTo: QueryParameter = {
  name: 'redirect_to',
  description: 'Where links lead in the end; must be allowed, else SITE_URL. May also come as a header of that name.',
  schema: { type: 'string' },
};
export const query = (name: string, description: string, schema: object = { type: 'string' }): QueryParameter => ({
  name,
  description,
  schema: schema as QueryParameter['schema'],
});
export const ok = (body: string, description: string): Record<string, DocumentedAnswer> => ({
  200: { description, body },
});
export const redirect = (description: string): DocumentedAnswer => ({
  description,
  headers: { Location: 'Where to go on.' },
});
export const pkce: readonly RefusalName[] = ['pkceIncomplete', 'pkceChallengeLength', 'pkceMethod'];
