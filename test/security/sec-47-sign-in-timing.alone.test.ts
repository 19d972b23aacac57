import { pickForm } from '../support/long-form.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertAlike } from '../support/timing-arms.js';

const ROUNDS = pickForm({ short: 120, long: 400 });

t.test('SEC-47: unknown, passwordless, banned and unconfirmed addresses cost the time of a known one', async (t) => {
  // The real cost of a hash, or half of it, which is twice what the positive control adds: a cheap one would hide a missing one.
  const { post, database } = await openTestServer(t, {
    PASSWORD_ARGON2_MEMORY_KIB: pickForm({ short: '9728', long: '19456' }),
    PASSWORD_ARGON2_ITERATIONS: '2',
    // Each refusal is recorded, with what the client must not learn.
    CONSOLE_RECORDS_ENABLED: 'true',
  });

  const known = freshEmail();
  await post('/signup', { email: known, password });
  const changes: Record<string, string> = {
    passwordless: 'password_hash = null',
    banned: `banned_until = now() + interval '1 day'`,
    unconfirmed: 'email_confirmed_at = null',
  };
  const addresses: Record<string, string> = { unknown: freshEmail() };
  for (const [name, change] of Object.entries(changes)) {
    addresses[name] = freshEmail();
    await post('/signup', { email: addresses[name], password });
    await database.admin.query(`update users set ${change} where email = $1`, [addresses[name]]);
  }

  async function signIn(email: string): Promise<void> {
    const answer = await post('/token?grant_type=password', { email, password: 'a wrong password' });
    if (answer.status !== 400 || answer.body.error_code !== 'invalid_credentials') {
      t.fail(JSON.stringify(answer.body));
    }
  }
  // Each try is the first wrong one of its address: later ones would be answered 429.
  const forget = () => database.admin.query('delete from rate_counters');
  for (let warmUp = 0; warmUp < 30; warmUp++) {
    await forget();
    await signIn(known);
  }
  await assertAlike(t, {
    name: 'sign-in',
    rounds: ROUNDS,
    prepare: forget,
    baseline: () => signIn(known),
    others: Object.fromEntries(Object.entries(addresses).map(([name, email]) => [name, () => signIn(email)])),
  });
});
