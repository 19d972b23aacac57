import { createHmac } from 'node:crypto';
import { credentialsOf } from './credentials.js';
import { makeOAuth2Fake } from './oauth2.js';

export const discord = makeOAuth2Fake({
  example: { subject: '80', name: 'Dis C', username: 'dis', email: 'd@example.com' },
  paths: { authorize: '/api/oauth2/authorize', token: '/api/oauth2/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  token: ({ access, refresh }) => ({
    body: {
      token_type: 'Bearer',
      access_token: access,
      expires_in: 604800,
      refresh_token: refresh,
      scope: 'email identify',
    },
  }),
  resources: {
    profile: {
      path: '/api/v10/users/@me',
      read: ({ subject, username, name, email, isVerified }) => ({
        id: subject,
        username,
        discriminator: '0001',
        global_name: name,
        avatar: 'abc',
        email,
        verified: isVerified,
      }),
    },
  },
});

export const facebook = makeOAuth2Fake({
  example: { subject: 'fb1', name: 'Fay B', email: 'fb@example.com' },
  paths: { authorize: '/dialog/oauth', token: '/oauth/access_token' },
  usesPkce: false,
  clientStyles: ['body'],
  token: ({ access }) => ({ body: { access_token: access, token_type: 'bearer', expires_in: 5183944 } }),
  tokenError: (error, status) => ({ status, body: { error: { message: error, type: 'OAuthException', code: 100 } } }),
  resources: {
    profile: {
      path: '/me',
      read: ({ subject, name, email }) => {
        const [first = '', ...rest] = name.split(' ');
        return {
          id: subject,
          name,
          first_name: first,
          last_name: rest.join(' '),
          // Absent where the person gave none.
          ...(email !== null && { email }),
          picture: { data: { url: 'http://img/fb.png' } },
        };
      },
      refuse(call, token) {
        const proof = createHmac('sha256', credentialsOf('facebook').secret).update(token).digest('hex');
        if (call.query.get('appsecret_proof') !== proof) return 'Invalid appsecret_proof provided in the API argument';
        const wanted = 'email,first_name,last_name,name,picture';
        return call.query.get('fields') === wanted ? null : 'The fields are not those that the profile is read from';
      },
    },
  },
  documents: {
    discovery: {
      path: '/.well-known/openid-configuration',
      read: ({ urlOf }) => ({
        issuer: urlOf('facebook'),
        authorization_endpoint: `${urlOf('facebook')}/dialog/oauth`,
        jwks_uri: `${urlOf('facebook')}/.well-known/oauth/openid/jwks/`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    },
    jwks: { path: '/.well-known/oauth/openid/jwks/', read: ({ keys }) => keys.jwks },
  },
});

const localized = (text: string) => ({
  localized: { en_US: text },
  preferredLocale: { country: 'US', language: 'en' },
});

export const linkedin = makeOAuth2Fake({
  example: { subject: 'li1', name: 'Lin K', email: 'li@example.com' },
  paths: { authorize: '/oauth/v2/authorization', token: '/oauth/v2/accessToken' },
  usesPkce: false,
  clientStyles: ['body'],
  // Without token_type, which RFC 6749 5.1 requires.
  token: ({ access }) => ({
    body: { access_token: access, expires_in: 5184000, scope: 'r_emailaddress,r_liteprofile' },
  }),
  resources: {
    profile: {
      path: '/v2/me',
      read: ({ subject, name }) => ({
        id: subject,
        firstName: localized(name.split(' ')[0] ?? ''),
        lastName: localized(name.split(' ').slice(1).join(' ')),
        profilePicture: { 'displayImage~': { elements: [{ identifiers: [{ identifier: 'http://img/li.png' }] }] } },
      }),
      refuse: ({ query }) =>
        query.get('projection') === '(id,firstName,lastName,profilePicture(displayImage~:playableStreams))'
          ? null
          : 'projection',
    },
    emails: {
      path: '/v2/emailAddress',
      read: ({ email }) => ({
        elements: email === null ? [] : [{ handle: 'urn:li:emailAddress:1', 'handle~': { emailAddress: email } }],
      }),
      refuse: ({ query }) =>
        query.get('q') === 'members' && query.get('projection') === '(elements*(handle~))' ? null : 'projection',
    },
  },
});

export const snapchat = makeOAuth2Fake({
  example: { subject: 'sn1', name: 'Sna P', email: 'sn@example.com' },
  paths: { authorize: '/accounts/oauth2/auth', token: '/accounts/oauth2/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: '/v1/me',
      read: ({ subject, name, email }) => ({
        data: {
          me: {
            externalId: subject,
            displayName: name,
            bitmoji: { avatar: 'http://img/sn.png' },
            ...(email !== null && { email }),
          },
        },
      }),
      refuse: ({ query }) =>
        query.get('query') === '{me { externalId displayName bitmoji { avatar id } email } }' ? null : 'query',
    },
  },
  documents: {
    discovery: {
      path: '/accounts/oauth2/token/.well-known/openid-configuration',
      read: ({ urlOf }) => ({
        issuer: `${urlOf('snapchat')}/accounts/oauth2/token`,
        jwks_uri: `${urlOf('snapchat')}/accounts/oauth2/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    },
    jwks: { path: '/accounts/oauth2/keys', read: ({ keys }) => keys.jwks },
  },
});

export const x = makeOAuth2Fake({
  example: { subject: '2244994945', name: 'X Y', username: 'xy', email: 'x@example.com' },
  paths: { authorize: '/i/oauth2/authorize', token: '/2/oauth2/token' },
  usesPkce: true,
  needsPkce: true,
  clientStyles: ['basic'],
  resources: {
    profile: {
      path: '/2/users/me',
      read: ({ subject, name, username, email }) => ({
        data: {
          id: subject,
          name,
          username,
          profile_image_url: 'http://img/x.png',
          created_at: '2013-12-14T04:35:55.000Z',
          ...(email !== null && { confirmed_email: email }),
        },
      }),
      refuse: ({ query }) =>
        query.get('user.fields') === 'id,name,username,confirmed_email,profile_image_url,url,created_at'
          ? null
          : 'user.fields',
    },
  },
});

export const kakao = makeOAuth2Fake({
  example: { subject: 7, name: 'Ka K', email: 'k@example.com' },
  paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
  usesPkce: true,
  clientStyles: ['body'],
  resources: {
    profile: {
      path: '/v2/user/me',
      read: ({ subject, name, email, isVerified }) => ({
        id: subject,
        kakao_account: {
          profile: { nickname: name, profile_image_url: 'http://img/k.png' },
          ...(email !== null && { email, is_email_valid: true, is_email_verified: isVerified }),
        },
      }),
    },
  },
  documents: {
    discovery: {
      path: '/.well-known/openid-configuration',
      read: ({ urlOf }) => ({
        issuer: urlOf('kakao'),
        authorization_endpoint: `${urlOf('kakao')}/oauth/authorize`,
        token_endpoint: `${urlOf('kakao')}/oauth/token`,
        jwks_uri: `${urlOf('kakao')}/.well-known/jwks.json`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    },
    jwks: { path: '/.well-known/jwks.json', read: ({ keys }) => keys.jwks },
  },
});
