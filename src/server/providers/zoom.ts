import { at, isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** Sign-in with Zoom's own password. */
const BY_PASSWORD = '100';

/** https://developers.zoom.us/docs/integrations/oauth/; what may be read is set in the app, so no scope is needed. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://zoom.us';
    return {
      authorization: `${base}/oauth/authorize`,
      token: `${base}/oauth/token`,
      api: `${url ?? 'https://api.zoom.us'}/v2`,
    };
  },
  scopes: [],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/users/me`);
    const subject = readSubject(at(user, 'id'));
    const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim();
    const picture = textAt(user, 'pic_url');
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
      addresses: oneAddress(at(user, 'email'), isVerified(user)),
    };
  },
};

/**
 * Zoom mails a confirmation only to those who sign up with a password:
 * https://devforum.zoom.us/t/how-to-determine-if-a-zoom-user-actually-owns-their-email-address/44430
 */
function isVerified(user: unknown): boolean {
  const verified = at(user, 'verified');
  return String(at(user, 'login_type')) !== BY_PASSWORD || verified === 1 || isTrueClaim(verified);
}
