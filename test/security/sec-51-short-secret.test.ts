import { loadConfig } from '../../src/server/config/load.js';
import { t } from '../support/tap.js';

const load = (secret: string) =>
  loadConfig({
    environment: {
      AUTH_SITE_URL: 'https://app.example.com',
      AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
      AUTH_DB_DRIVER: 'postgres',
      DATABASE_URL: 'postgres://u:p@localhost/db',
      AUTH_JWT_SECRET: secret,
    },
    file: null,
  });

t.test('SEC-51: a JWT_SECRET under 32 bytes loads, with a warning that does not repeat it', async (t) => {
  const { config, notices } = load('x'.repeat(31));
  t.equal(config.jwtSecret, 'x'.repeat(31));
  const warning = notices.find(({ variable }) => variable === 'AUTH_JWT_SECRET');
  t.match(warning?.message, /shorter than 32 bytes/);
  t.notMatch(warning?.message, /xxx/);
});

t.test('SEC-51: 32 bytes are enough', async (t) => {
  const { notices } = load('x'.repeat(32));
  t.notOk(notices.some(({ variable }) => variable === 'AUTH_JWT_SECRET'));
});
