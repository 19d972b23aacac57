import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth1Spec } from './contract.js';

const PROFILE = '/1.1/account/verify_credentials.json';

function baseOf(url: string | null): string {
  return url ?? 'https://api.twitter.com';
}

/** https://docs.x.com/resources/fundamentals/authentication/oauth-1-0a/obtaining-user-access-tokens */
export const provider: OAuth1Spec = {
  protocol: 'oauth1',
  endpoints(url) {
    const base = baseOf(url);
    return {
      requestToken: `${base}/oauth/request_token`,
      authenticate: `${base}/oauth/authenticate`,
      accessToken: `${base}/oauth/access_token`,
      profile: `${base}${PROFILE}?include_email=true&include_entities=false&skip_status=true`,
    };
  },
  readProfile(json, url) {
    // `id` is too large for a JSON number.
    const subject = readSubject(at(json, 'id_str'));
    const [name, screenName] = [textAt(json, 'name'), textAt(json, 'screen_name')];
    const picture = textAt(json, 'profile_image_url_https');
    return {
      subject,
      claims: withoutEmpty({
        iss: `${baseOf(url)}${PROFILE}`,
        sub: subject,
        name,
        full_name: name,
        preferred_username: screenName,
        user_name: screenName,
        picture,
        avatar_url: picture,
        provider_id: subject,
      }),
      addresses: oneAddress(at(json, 'email'), true),
    };
  },
};
