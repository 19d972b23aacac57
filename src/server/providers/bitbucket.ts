import { at, isTrueClaim, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://developer.atlassian.com/cloud/bitbucket/oauth-2 */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://bitbucket.org';
    return {
      authorization: `${base}/site/oauth2/authorize`,
      token: `${base}/site/oauth2/access_token`,
      api: url ?? 'https://api.bitbucket.org',
    };
  },
  scopes: ['account', 'email'],
  ignoresScopes: true,
  // Only Data Center supports PKCE, Bitbucket Cloud does not.
  usesPkce: false,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/2.0/user`);
    const emails = at(await getJson(`${endpoints.api}/2.0/user/emails`), 'values');
    if (!Array.isArray(emails)) throw new ProviderFault('the list of addresses is not a list');
    const subject = readSubject(at(user, 'uuid'));
    const name = textAt(user, 'display_name');
    // The public API has it below `links`, which supabase/auth does not read: avatars are normally empty.
    const avatar = textAt(user, 'avatar', 'href');
    return {
      subject,
      claims: withoutEmpty({
        iss: `${endpoints.api}/2.0`,
        sub: subject,
        name,
        full_name: name,
        picture: avatar,
        avatar_url: avatar,
        provider_id: subject,
      }),
      addresses: emails
        .map((entry) => ({
          email: textAt(entry, 'email'),
          isVerified: isTrueClaim(at(entry, 'is_confirmed')),
          isPrimary: isTrueClaim(at(entry, 'is_primary')),
        }))
        .filter(({ email }) => email !== ''),
    };
  },
};
