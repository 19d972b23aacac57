import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

const PROFILE = 'projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))';
const EMAIL = 'q=members&projection=(elements*(handle~))';

/** https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://api.linkedin.com';
    return { authorization: `${base}/oauth/v2/authorization`, token: `${base}/oauth/v2/accessToken`, api: base };
  },
  scopes: ['r_emailaddress', 'r_liteprofile'],
  // Only for native apps that LinkedIn has approved; others get an error for code_verifier.
  usesPkce: false,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/v2/me?${PROFILE}`);
    const emails = await getJson(`${endpoints.api}/v2/emailAddress?${EMAIL}`);
    const subject = readSubject(at(user, 'id'));
    const name = `${localizedAt(user, 'firstName')} ${localizedAt(user, 'lastName')}`.trim();
    const images = at(user, 'profilePicture', 'displayImage~', 'elements');
    const picture = textAt(images, 0, 'identifiers', 0, 'identifier');
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
      }),
      addresses: oneAddress(at(emails, 'elements', 0, 'handle~', 'emailAddress'), true),
    };
  },
};

/** The text in the preferred language. */
function localizedAt(user: unknown, member: string): string {
  const language = textAt(user, member, 'preferredLocale', 'language');
  const country = textAt(user, member, 'preferredLocale', 'country');
  return textAt(user, member, 'localized', `${language}_${country}`);
}
