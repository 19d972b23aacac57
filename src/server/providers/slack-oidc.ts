import { at, isTrueClaim, oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://docs.slack.dev/authentication/sign-in-with-slack; its errors have status 200 and `"ok":false`. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://slack.com';
    return {
      authorization: `${base}/openid/connect/authorize`,
      token: `${base}/api/openid.connect.token`,
      api: `${base}/api`,
    };
  },
  scopes: ['profile', 'email', 'openid'],
  // Only for apps that were made public clients for good.
  usesPkce: false,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/openid.connect.userInfo`);
    if (at(user, 'ok') === false) throw new ProviderFault('the profile was refused');
    const subject = readSubject(at(user, 'https://slack.com/user_id'));
    const [name, picture] = [textAt(user, 'name'), textAt(user, 'picture')];
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name,
        full_name: name,
        picture,
        avatar_url: picture,
        provider_id: subject,
        custom_claims: { 'https://slack.com/team_id': textAt(user, 'https://slack.com/team_id') },
      }),
      addresses: oneAddress(at(user, 'email'), isTrueClaim(at(user, 'email_verified'))),
    };
  },
};
