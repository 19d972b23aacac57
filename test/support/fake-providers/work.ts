import { makeOAuth2Fake } from './oauth2.js';

export const figma = makeOAuth2Fake({
  example: { subject: 'fg1', username: 'Fig M', email: 'fg@example.com' },
  paths: { authorize: '/oauth', token: '/v1/oauth/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: '/v1/me',
      read: ({ subject, username, email }) => ({ id: subject, email, handle: username, img_url: 'http://img/fg.png' }),
    },
  },
});

export const notion = makeOAuth2Fake({
  example: { subject: 'no1', name: 'No T', email: 'no@example.com' },
  paths: { authorize: '/v1/oauth/authorize', token: '/v1/oauth/token' },
  usesPkce: false,
  clientStyles: ['basic'],
  token: ({ access }) => ({
    body: { access_token: access, token_type: 'bearer', bot_id: 'bot-1', workspace_id: 'ws-1', workspace_name: 'Desk' },
  }),
  resources: {
    profile: {
      path: '/v1/users/me',
      read: ({ subject, name, email }) => ({
        bot: {
          owner: {
            user: { id: subject, name, avatar_url: 'http://img/no.png', person: email === null ? {} : { email } },
          },
        },
      }),
      refuse: ({ headers }) => (headers['notion-version'] === '2021-08-16' ? null : 'Notion-Version header is missing'),
    },
  },
});

export const slack = makeOAuth2Fake({
  example: { subject: 'U1', name: 'Sla C', email: 'sl@example.com' },
  paths: { authorize: '/oauth/authorize', token: '/api/oauth.access' },
  usesPkce: false,
  clientStyles: ['body'],
  token: ({ access }) => ({
    body: { ok: true, access_token: access, scope: 'profile,email,openid', user_id: 'U1', team_id: 'T1' },
  }),
  tokenError: (error) => ({ body: { ok: false, error: error === 'invalid_grant' ? 'invalid_code' : error } }),
  resources: {
    profile: {
      path: '/api/openid.connect.userInfo',
      read: ({ subject, name, email, isVerified }) => ({
        ok: true,
        'https://slack.com/user_id': subject,
        'https://slack.com/team_id': 'T1',
        email,
        email_verified: isVerified,
        name,
        picture: 'http://img/sl.png',
      }),
    },
  },
});

export const workos = makeOAuth2Fake({
  example: { subject: 'prof_1', name: 'Wo S', email: 'w@example.com' },
  paths: { authorize: '/sso/authorize', token: '/sso/token' },
  usesPkce: true,
  clientStyles: ['body'],
  token: ({ access }, { person }) => ({
    body: {
      access_token: access,
      profile: person.answers.profile ?? {
        id: person.subject,
        object: 'profile',
        first_name: person.name.split(' ')[0],
        last_name: person.name.split(' ').slice(1).join(' '),
        email: person.email,
        connection_id: 'conn_1',
        organization_id: 'org_1',
        connection_type: 'OktaSAML',
        idp_id: 'x',
        raw_attributes: {},
      },
    },
  }),
});

export const slackOidc = makeOAuth2Fake({
  example: { subject: 'U2', name: 'Sla D', email: 'so@example.com' },
  paths: { authorize: '/openid/connect/authorize', token: '/api/openid.connect.token' },
  usesPkce: false,
  clientStyles: ['body'],
  token: ({ access }) => ({ body: { ok: true, access_token: access, token_type: 'Bearer' } }),
  tokenError: (error) => ({ body: { ok: false, error: error === 'invalid_grant' ? 'invalid_code' : error } }),
  resources: {
    profile: {
      path: '/api/openid.connect.userInfo',
      read: ({ subject, name, email, isVerified }) => ({
        ok: true,
        sub: subject,
        'https://slack.com/user_id': subject,
        'https://slack.com/team_id': 'T1',
        email,
        email_verified: isVerified,
        name,
        picture: 'http://img/so.png',
      }),
    },
  },
});

export const zoom = makeOAuth2Fake({
  example: { subject: 'z1', name: 'Zo M', email: 'z@example.com' },
  paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
  usesPkce: true,
  clientStyles: ['basic'],
  resources: {
    profile: {
      path: '/v2/users/me',
      read: ({ subject, name, email, isVerified }) => ({
        id: subject,
        first_name: name.split(' ')[0],
        last_name: name.split(' ').slice(1).join(' '),
        email,
        verified: isVerified ? 1 : 0,
        login_type: '100',
        pic_url: 'http://img/z.png',
      }),
    },
  },
});

export const fly = makeOAuth2Fake({
  example: { subject: 'u1', name: 'Fl Y', email: 'f@example.com' },
  paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
  usesPkce: false,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: '/oauth/token/info',
      read: ({ subject, name, email }) => ({
        resource_owner_id: 'r1',
        user_id: subject,
        user_name: name,
        email,
        organizations: [{ id: 'o1', role: 'admin' }],
        scope: ['read'],
        application: { uid: 'a1' },
        expires_in: 7200,
        created_at: 1696003692,
      }),
    },
  },
});
