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
