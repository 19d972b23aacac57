import { credentialsOf } from './credentials.js';
import { makeOAuth2Fake } from './oauth2.js';

export const spotify = makeOAuth2Fake({
  example: { subject: 'sp1', name: 'Spo T', email: 'sp@example.com', isVerified: false },
  paths: { authorize: '/authorize', token: '/api/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: '/me',
      read: ({ subject, name, email }) => ({
        id: subject,
        display_name: name,
        email,
        images: [
          { url: 'http://img/s.png', height: 64, width: 64 },
          { url: 'http://img/l.png', height: 300, width: 300 },
        ],
      }),
    },
  },
});

export const twitch = makeOAuth2Fake({
  example: { subject: 'tw1', name: 'Twi', username: 'twi', email: 'tw@example.com' },
  paths: { authorize: '/oauth2/authorize', token: '/oauth2/token' },
  usesPkce: false,
  clientStyles: ['body'],
  // Its scope is a list, not the text of RFC 6749 5.1.
  token: ({ access, refresh }) => ({
    body: {
      access_token: access,
      expires_in: 14124,
      refresh_token: refresh,
      scope: ['user:read:email'],
      token_type: 'bearer',
    },
  }),
  tokenError: (error, status) => ({ status, body: { status, message: error } }),
  resources: {
    profile: {
      path: '/helix/users',
      read: ({ subject, username, name, email }) => ({
        data: [
          {
            id: subject,
            login: username,
            display_name: name,
            type: '',
            broadcaster_type: 'partner',
            description: 'hi',
            profile_image_url: 'http://img/t.png',
            offline_image_url: '',
            view_count: 5,
            // Absent where there is none that was verified.
            ...(email !== null && { email }),
            created_at: '2013-06-03T19:12:02Z',
          },
        ],
      }),
      refuse: ({ headers }) => (headers['client-id'] === credentialsOf('twitch').id ? null : 'Client ID is missing'),
    },
  },
});
