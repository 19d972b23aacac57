import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://developer.spotify.com/documentation/web-api/tutorials/code-flow */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://accounts.spotify.com';
    return {
      authorization: `${base}/authorize`,
      token: `${base}/api/token`,
      api: url ?? 'https://api.spotify.com/v1',
    };
  },
  scopes: ['user-read-email'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/me`);
    const subject = readSubject(at(user, 'id'));
    const name = textAt(user, 'display_name');
    const avatar = largestImage(at(user, 'images'));
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
      // "Unverified; there is no proof that it actually belongs to the user", according to the reference of /me.
      addresses: oneAddress(at(user, 'email'), false),
    };
  },
};

/** @returns the URL of the largest image, or '' */
function largestImage(images: unknown): string {
  let best = { url: '', pixels: -1 };
  for (const image of Array.isArray(images) ? images : []) {
    const pixels = (Number(at(image, 'height')) || 0) * (Number(at(image, 'width')) || 0);
    if (pixels > best.pixels) best = { url: textAt(image, 'url'), pixels };
  }
  return best.url;
}
