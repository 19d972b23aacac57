import { at, oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://dev.twitch.tv/docs/authentication/getting-tokens-oauth/ */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://id.twitch.tv';
    return {
      authorization: `${base}/oauth2/authorize`,
      token: `${base}/oauth2/token`,
      api: url ?? 'https://api.twitch.tv',
    };
  },
  scopes: ['user:read:email'],
  // Neither endpoint supports the parameters.
  usesPkce: false,
  async readProfile({ endpoints, getJson, clientId }) {
    const user = at(await getJson(`${endpoints.api}/helix/users`, { 'Client-Id': clientId }), 'data', 0);
    if (user === undefined) throw new ProviderFault('the list of users is empty');
    const subject = readSubject(at(user, 'id'));
    const [login, displayName] = [textAt(user, 'login'), textAt(user, 'display_name')];
    const picture = textAt(user, 'profile_image_url');
    const views = at(user, 'view_count');
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name: login,
        full_name: login,
        nickname: displayName,
        slug: displayName,
        picture,
        avatar_url: picture,
        provider_id: subject,
        custom_claims: {
          broadcaster_type: textAt(user, 'broadcaster_type'),
          description: textAt(user, 'description'),
          type: textAt(user, 'type'),
          offline_image_url: textAt(user, 'offline_image_url'),
          view_count: typeof views === 'number' ? views : 0,
        },
      }),
      // "The user's verified email address", according to the reference of Get Users.
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
};
