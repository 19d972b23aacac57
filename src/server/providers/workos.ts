import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://workos.com/docs/reference/sso; the client names a connection, organization, domain or workos_provider. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://api.workos.com';
    return { authorization: `${base}/sso/authorize`, token: `${base}/sso/token`, api: base };
  },
  scopes: [],
  ignoresScopes: true,
  // https://workos.com/changelog/pkce-support-for-sso
  usesPkce: true,
  /** The profile is part of the token response. */
  async readProfile({ endpoints, token }) {
    const user = token['profile'];
    const subject = readSubject(at(user, 'id'));
    const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim();
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name,
        full_name: name,
        provider_id: subject,
        custom_claims: {
          connection_id: textAt(user, 'connection_id'),
          organization_id: textAt(user, 'organization_id'),
        },
      }),
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
};
