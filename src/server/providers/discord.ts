import { at, isTrueClaim, oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://discord.com/developers/docs/topics/oauth2 */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://discord.com';
    return { authorization: `${base}/api/oauth2/authorize`, token: `${base}/api/oauth2/token`, api: base };
  },
  scopes: ['email', 'identify'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    // Without a version it is 6, which is deprecated: https://discord.com/developers/docs/reference#api-versioning
    const user = await getJson(`${endpoints.api}/api/v10/users/@me`);
    const subject = readSubject(at(user, 'id'));
    const username = textAt(user, 'username');
    const discriminator = textAt(user, 'discriminator');
    const avatar = avatarUrl(subject, textAt(user, 'avatar'), discriminator);
    return {
      subject,
      claims: withoutEmpty({
        iss: `${endpoints.api}/api`,
        sub: subject,
        name: `${username}#${discriminator}`,
        full_name: username,
        picture: avatar,
        avatar_url: avatar,
        provider_id: subject,
        custom_claims: { global_name: textAt(user, 'global_name') },
      }),
      addresses: oneAddress(at(user, 'email'), isTrueClaim(at(user, 'verified'))),
    };
  },
};

/** https://discord.com/developers/docs/reference#image-formatting */
function avatarUrl(subject: string, hash: string, discriminator: string): string {
  const host = 'https://cdn.discordapp.com';
  if (hash !== '') return `${host}/avatars/${subject}/${hash}.${hash.startsWith('a_') ? 'gif' : 'png'}`;
  if (!/^\d{1,9}$/.test(discriminator)) throw new ProviderFault('the discriminator is not a number');
  return `${host}/embed/avatars/${Number(discriminator) % 5}.png`;
}
