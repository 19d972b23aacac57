import { join } from 'node:path';
import { passkeySettings } from '../support/passkeys.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const run = (directory: string, settings: Record<string, string>) =>
  runCommand(
    ['check', 'webauthn'],
    testEnvironment('postgres://127.0.0.1/latchkey', settings),
    join(directory, 'empty.env'),
  );

t.test('check webauthn compares the RP id with the origins', async (t) => {
  const directory = t.testdir({ 'empty.env': '' });
  t.equal((await run(directory, {})).code, 1, 'nothing uses WebAuthn');

  const origins = 'https://app.example.com,https://example.com:8443,android:apk-key-hash:abc';
  const good = await run(directory, { ...passkeySettings, WEBAUTHN_RP_ORIGINS: origins });
  t.equal(good.code, 0, good.err);
  t.match(
    good.out,
    /^relying party {2}example\.com \(Example\)\nok +https:\/\/app\.example\.com\nok +https:\/\/example\.com:8443\napp /,
  );

  const related = await run(directory, {
    ...passkeySettings,
    // RFC 2606: a domain that never exists.
    WEBAUTHN_RP_ID: 'example.invalid',
    WEBAUTHN_RP_ORIGINS: 'https://example.invalid,https://notexample.invalid',
  });
  t.equal(related.code, 1);
  t.match(
    related.out,
    /ok +https:\/\/example\.invalid\nrefused +https:\/\/notexample\.invalid {2}not on example\.invalid, and /,
  );
});
