import { at, oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://docs.gitlab.com/api/oauth2/ */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://gitlab.com';
    return { authorization: `${base}/oauth/authorize`, token: `${base}/oauth/token`, api: base };
  },
  scopes: ['read_user'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/api/v4/user`);
    const emails = await getJson(`${endpoints.api}/api/v4/user/emails`);
    if (!Array.isArray(emails)) throw new ProviderFault('the list of addresses is not a list');
    const subject = readSubject(at(user, 'id'), { isNumeric: true });
    const [name, avatar] = [textAt(user, 'name'), textAt(user, 'avatar_url')];
    const others = emails.map((entry) => ({ email: textAt(entry, 'email'), isVerified: false, isPrimary: false }));
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
      addresses: [
        ...others.filter(({ email }) => email !== ''),
        ...oneAddress(at(user, 'email'), textAt(user, 'confirmed_at') !== ''),
      ],
    };
  },
};
