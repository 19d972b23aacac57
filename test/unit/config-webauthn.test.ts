import { type ConfigError, loadConfig } from '../../src/server/config/load.js';
import { t } from '../support/tap.js';

const base = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com/',
  AUTH_DB_DRIVER: 'postgres',
  DATABASE_URL: 'postgres://u:p@localhost/db',
  AUTH_JWT_SECRET: 'x'.repeat(32),
  AUTH_SMTP_HOST: 'localhost',
  AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.com',
};
const party = {
  AUTH_PASSKEY_ENABLED: 'true',
  AUTH_WEBAUTHN_RP_ID: 'example.com',
  AUTH_WEBAUTHN_RP_DISPLAY_NAME: 'Example',
  AUTH_WEBAUTHN_RP_ORIGINS: 'https://app.example.com',
};

function faultsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig({ environment: { ...base, ...environment }, file: null });
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map(({ variable }) => variable);
  }
}

t.test('a relying party is asked for only where a feature needs it', async (t) => {
  t.same(faultsOf({}), []);
  t.same(faultsOf({ ...party, AUTH_PASSKEY_ENABLED: 'false', AUTH_WEBAUTHN_RP_ID: 'https://x' }), []);
  t.same(faultsOf(party), []);
  t.same(faultsOf({ AUTH_PASSKEY_ENABLED: 'true' }), [
    'AUTH_WEBAUTHN_RP_ID',
    'AUTH_WEBAUTHN_RP_DISPLAY_NAME',
    'AUTH_WEBAUTHN_RP_ORIGINS',
  ]);
});

t.test('an RP id is a domain', async (t) => {
  for (const id of [
    'https://example.com',
    'example.com:443',
    'com',
    '192.0.2.1',
    'Example.com',
    'a_b.example',
    '.com',
  ]) {
    t.same(faultsOf({ ...party, AUTH_WEBAUTHN_RP_ID: id }), ['AUTH_WEBAUTHN_RP_ID'], id);
  }
  for (const id of ['localhost', 'auth.example.co.uk']) t.same(faultsOf({ ...party, AUTH_WEBAUTHN_RP_ID: id }), [], id);
});

t.test('an origin is one of a page or an app', async (t) => {
  const wrong = [
    'example.com',
    'http://example.com',
    'https://example.com/path',
    'https://user@example.com',
    'https://',
  ];
  for (const origin of wrong) {
    t.same(faultsOf({ ...party, AUTH_WEBAUTHN_RP_ORIGINS: origin }), ['AUTH_WEBAUTHN_RP_ORIGINS'], origin);
  }
  const right = [
    'https://example.com:8443',
    'https://EXAMPLE.com/',
    'http://localhost:3000',
    'android:apk-key-hash:abc',
  ];
  for (const origin of right) t.same(faultsOf({ ...party, AUTH_WEBAUTHN_RP_ORIGINS: origin }), [], origin);
});

t.test('algorithms and models are known ones', async (t) => {
  const algorithms = 'AUTH_WEBAUTHN_REGISTRATION_ALGORITHMS';
  t.same(faultsOf({ ...party, [algorithms]: 'ES256,RS1' }), [algorithms]);
  t.same(faultsOf({ ...party, [algorithms]: 'ES512,PS256' }), []);
  const aaguids = { ...party, AUTH_WEBAUTHN_ALLOWED_AAGUIDS: 'ee882879-721c-4913-9775-3dfcce97072a' };
  t.same(faultsOf(aaguids), ['AUTH_WEBAUTHN_ATTESTATION']);
  t.same(faultsOf({ ...aaguids, AUTH_WEBAUTHN_ATTESTATION: 'direct' }), []);
  t.same(faultsOf({ ...party, AUTH_WEBAUTHN_ATTESTATION: 'direct', AUTH_WEBAUTHN_ALLOWED_AAGUIDS: 'yubikey' }), [
    'AUTH_WEBAUTHN_ALLOWED_AAGUIDS',
  ]);
});
