import { ConfigError, loadConfig } from '../../src/server/config/load.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { newSamlKey, samlPrivateKey } from '../support/saml-keys.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

function faultsOf(settings: Record<string, string>): string[] {
  try {
    loadConfig({ environment: testEnvironment('postgres://localhost/db', settings), file: null });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable, problem }) => `${variable} ${problem}`);
    throw error;
  }
}

t.test('a key that SAML cannot use stops the start, and counts only with SAML on', async (t) => {
  const on = { SAML_ENABLED: 'true' };
  const good = samlPrivateKey();
  t.same(faultsOf({ ...on, SAML_PRIVATE_KEY: good, SAML_PRIVATE_KEY_NEXT: good }), []);
  t.same(faultsOf({ SAML_PRIVATE_KEY: 'no key' }), []);
  t.match(faultsOf(on), [/^AUTH_SAML_PRIVATE_KEY is missing/]);
  const pkcs8 = takeRsaKey().export({ type: 'pkcs8', format: 'der' });
  const bad = {
    'no key': /must be base64 of an RSA private key/,
    [pkcs8.toString('base64')]: /must be base64 of an RSA private key/,
    [newSamlKey(1024)]: /2048 bits or more/,
    [newSamlKey(2048, 3)]: /exponent 65537/,
  };
  for (const [key, problem] of Object.entries(bad)) {
    t.match(faultsOf({ ...on, SAML_PRIVATE_KEY: key }), [problem]);
    t.match(faultsOf({ ...on, SAML_PRIVATE_KEY: good, SAML_PRIVATE_KEY_NEXT: key }), [/^AUTH_SAML_PRIVATE_KEY_NEXT/]);
  }
  t.match(faultsOf({ SAML_RELAY_STATE_VALIDITY_PERIOD: '-1s' }), [/must not be negative/]);
});
