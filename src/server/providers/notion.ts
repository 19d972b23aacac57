import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://developers.notion.com/docs/authorization */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://api.notion.com';
    return { authorization: `${base}/v1/oauth/authorize`, token: `${base}/v1/oauth/token`, api: base };
  },
  scopes: [],
  ignoresScopes: true,
  // Its token endpoint does not support PKCE.
  usesPkce: false,
  async readProfile({ endpoints, getJson }) {
    const answer = await getJson(`${endpoints.api}/v1/users/me`, { 'Notion-Version': '2021-08-16' });
    const user = at(answer, 'bot', 'owner', 'user');
    const subject = readSubject(at(user, 'id'));
    const [name, avatar] = [textAt(user, 'name'), textAt(user, 'avatar_url')];
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name,
        full_name: name,
        picture: avatar,
        avatar_url: avatar,
        provider_id: subject,
      }),
      addresses: oneAddress(at(user, 'person', 'email'), true),
    };
  },
};
