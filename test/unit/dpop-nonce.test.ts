import { currentNonce, isFreshNonce } from '../../src/server/dpop/nonce.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { t } from '../support/tap.js';

const MINUTE = 60_000;
const secrets = { jwtSecret: 'a'.repeat(32), jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null };
const app = { keys: deriveKeys(secrets) };

t.test('a nonce is valid for two to four minutes, and early for clocks that differ', (t) => {
  for (let start = 0; start < 4 * MINUTE; start += 7_000) {
    const nowMs = 1_800_000_000_000 + start;
    const nonce = currentNonce(app, nowMs);
    t.ok(isFreshNonce(app, nonce, nowMs));
    t.ok(isFreshNonce(app, nonce, nowMs + 2 * MINUTE));
    t.ok(isFreshNonce(app, nonce, nowMs - MINUTE / 2));
    t.notOk(isFreshNonce(app, nonce, nowMs + 4 * MINUTE));
    t.notOk(isFreshNonce(app, nonce, nowMs - 4 * MINUTE));
  }
  t.end();
});

t.test('after a change of the secret earlier nonces count as long as it does', (t) => {
  const nowMs = 1_800_000_000_000;
  const next = { jwtSecret: 'b'.repeat(32), jwtPreviousSecrets: ['a'.repeat(32)] };
  const until = new Date(nowMs + MINUTE).toISOString();
  const changed = { keys: deriveKeys({ ...next, jwtPreviousSecretsValidUntil: until }) };
  t.ok(isFreshNonce(changed, currentNonce(app, nowMs), nowMs));
  t.notOk(isFreshNonce(changed, currentNonce(app, nowMs + MINUTE), nowMs + MINUTE));
  t.notOk(isFreshNonce(app, currentNonce(changed, nowMs), nowMs));
  t.end();
});
