import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://developers.figma.com/docs/rest-api/authentication */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const api = url ?? 'https://api.figma.com';
    return { authorization: `${url ?? 'https://www.figma.com'}/oauth`, token: `${api}/v1/oauth/token`, api };
  },
  scopes: ['current_user:read'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/v1/me`);
    const subject = readSubject(at(user, 'id'));
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name: textAt(user, 'handle'),
        full_name: textAt(user, 'handle'),
        avatar_url: textAt(user, 'img_url'),
        provider_id: subject,
      }),
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
};
