import type { Call, Reply } from './contract.js';
import { makeOAuth2Fake, standardToken, type Tokens } from './oauth2.js';

/** A form, unless the client accepts JSON; errors have status 200. */
function githubAnswer(call: Call, members: Record<string, string>): Reply {
  if (call.headers['accept']?.includes('application/json') === true) return { body: members };
  return { type: 'application/x-www-form-urlencoded; charset=utf-8', body: new URLSearchParams(members).toString() };
}

export const github = makeOAuth2Fake({
  example: {
    subject: 123,
    name: 'Octo C',
    username: 'octo',
    email: 'gh@example.com',
    others: [{ email: 'alt@example.com', isVerified: true }],
  },
  paths: { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  token: ({ access }: Tokens, _grant, call) =>
    githubAnswer(call, { access_token: access, scope: 'user:email', token_type: 'bearer' }),
  tokenError: (error, _status, call) =>
    githubAnswer(call, { error: error === 'invalid_grant' ? 'bad_verification_code' : error }),
  resources: {
    profile: {
      path: '/api/v3/user',
      read: ({ subject, username, name }) => ({
        id: subject,
        login: username,
        name,
        email: null,
        avatar_url: 'http://img/gh.png',
      }),
    },
    emails: {
      path: '/api/v3/user/emails',
      read: ({ email, isVerified, others }) => [
        ...(email === null ? [] : [{ email, primary: true, verified: isVerified }]),
        ...others.map((other) => ({ email: other.email, primary: false, verified: other.isVerified })),
      ],
    },
  },
});

export const gitlab = makeOAuth2Fake({
  example: {
    subject: 9,
    name: 'Git L',
    email: 'gl@example.com',
    others: [{ email: 'second@example.com', isVerified: false }],
  },
  paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: '/api/v4/user',
      read: ({ subject, name, email, isVerified }) => ({
        id: subject,
        name,
        email,
        avatar_url: 'http://img/gl.png',
        confirmed_at: isVerified ? '2012-05-23T09:05:22Z' : null,
      }),
    },
    emails: {
      path: '/api/v4/user/emails',
      read: ({ others }) => others.map(({ email }, index) => ({ id: index + 1, email })),
    },
  },
});

export const bitbucket = makeOAuth2Fake({
  example: { subject: '{bb-1}', name: 'Bit B', email: 'bb@example.com' },
  paths: { authorize: '/site/oauth2/authorize', token: '/site/oauth2/access_token' },
  usesPkce: false,
  clientStyles: ['basic', 'body'],
  token: (tokens) => {
    const { body } = standardToken(tokens);
    return { body: { ...(body as object), scopes: 'account email', state: 'authorization_code' } };
  },
  resources: {
    profile: {
      path: '/2.0/user',
      read: ({ subject, name }) => ({ uuid: subject, display_name: name, avatar: { href: 'http://img/bb.png' } }),
    },
    emails: {
      path: '/2.0/user/emails',
      read: ({ email, isVerified, others }) => ({
        values: [
          ...(email === null ? [] : [{ email, is_primary: true, is_confirmed: isVerified }]),
          ...others.map((other) => ({ email: other.email, is_primary: false, is_confirmed: other.isVerified })),
        ],
      }),
    },
  },
});
