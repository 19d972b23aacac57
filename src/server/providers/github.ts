import { at, isTrueClaim, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://github.com';
    // An Enterprise Server has its API below /api/v3; the public API has a host of its own.
    const isPublicApi = url === null || url.endsWith('api.github.com');
    return {
      authorization: `${base}/login/oauth/authorize`,
      token: `${base}/login/oauth/access_token`,
      api: isPublicApi ? 'https://api.github.com' : `${base}/api/v3`,
    };
  },
  scopes: ['user:email'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/user`);
    const emails = await getJson(`${endpoints.api}/user/emails`);
    if (!Array.isArray(emails)) throw new ProviderFault('the list of addresses is not a list');
    const subject = readSubject(at(user, 'id'), { isNumeric: true });
    const login = textAt(user, 'login');
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name: textAt(user, 'name'),
        full_name: textAt(user, 'name'),
        preferred_username: login,
        user_name: login,
        avatar_url: textAt(user, 'avatar_url'),
        provider_id: subject,
      }),
      addresses: emails
        .map((entry) => ({
          email: textAt(entry, 'email'),
          isVerified: isTrueClaim(at(entry, 'verified')),
          isPrimary: isTrueClaim(at(entry, 'primary')),
        }))
        .filter(({ email }) => email !== ''),
    };
  },
};
