import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

const CUSTOM = ['resource_owner_id', 'organizations', 'application', 'scope', 'created_at'];

/** https://fly.io/docs/reference/extensions_api/#single-sign-on-flow; there is no other scope. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const api = url ?? 'https://api.fly.io';
    return { authorization: `${api}/oauth/authorize`, token: `${api}/oauth/token`, api };
  },
  scopes: ['read'],
  // Not documented.
  usesPkce: false,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/oauth/token/info`);
    const subject = readSubject(at(user, 'user_id'));
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        full_name: textAt(user, 'user_name'),
        provider_id: subject,
        custom_claims: withoutEmpty(Object.fromEntries(CUSTOM.map((name) => [name, at(user, name)]))),
      }),
      // Fly does not say; supabase/auth counts it as verified.
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
};
