import type { ApiRequest } from '../http/types.js';
import type { PresentedClient } from './client-authentication.js';

/** The parameters of a request of a client: a form (RFC 6749 3.2), or JSON as supabase/auth takes it, too. */
export interface TokenParameters {
  /** Undefined when absent or empty. */
  get(name: string): string | undefined;
  /** All values, in order; empty ones are left out. */
  all(name: string): readonly string[];
}

/** Validated; of a form each name has its first value. */
export type TokenBody = Readonly<Partial<Record<string, unknown>>>;

export function readTokenParameters(
  request: Pick<ApiRequest<TokenBody>, 'body' | 'form' | 'allValues'>,
): TokenParameters {
  const { body, form } = request;
  const all = (name: string): string[] => {
    // Few requests have a parameter twice, and reading the form once more takes as long as all other parameters.
    const values = form.has(name) ? request.allValues(name) : form.size > 0 ? [] : [body[name] ?? []].flat();
    return values.filter((value) => typeof value === 'string' && value !== '') as string[];
  };
  return { get: (name) => form.get(name) || all(name)[0], all };
}

/** What the request presents of its client. */
export const presentedClient = (request: ApiRequest, parameters: TokenParameters): PresentedClient => ({
  authorization: request.header('authorization'),
  clientId: parameters.get('client_id'),
  clientSecret: parameters.get('client_secret'),
  assertion: {
    type: parameters.get('client_assertion_type'),
    text: parameters.get('client_assertion'),
    path: request.path,
  },
});
