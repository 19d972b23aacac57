import bcrypt from 'bcryptjs';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { median } from '../support/statistics.js';
import { type Test, t } from '../support/tap.js';

const UNKNOWN = 32;
const TRIES = 7;

/**
 * A server with two accounts, one of them imported. Its threads are this process's: the processor time of a sign-in is
 * what its answer takes on a machine that does nothing else, and other load does not change it.
 */
async function openWithImport(t: Test) {
  const { post, database } = await openTestServer(t, {
    PASSWORD_ARGON2_MEMORY_KIB: '2048',
    SECURITY_LOGIN_THROTTLE: 'false',
  });
  const [ours, imported] = [freshEmail(), freshEmail()];
  for (const email of [ours, imported]) await post('/signup', { email, password });
  await database.admin.query('update users set password_hash = $1 where email = $2', [
    bcrypt.hashSync(password, 10),
    imported,
  ]);
  /** @returns milliseconds of processor time */
  async function signIn(email: string): Promise<number> {
    const before = process.cpuUsage();
    const answer = await post('/token?grant_type=password', { email, password: 'a wrong password' });
    t.equal(answer.body.error_code, 'invalid_credentials');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }
  async function measure(email: string, tries = TRIES): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < tries; n++) times.push(await signIn(email));
    return median(times);
  }
  for (const email of [ours, imported]) await measure(email);
  return { ours, imported, measure };
}

t.test('SEC-47: if half of the hashes are bcrypt, half of the unknown addresses cost as much', async (t) => {
  const { ours, imported, measure } = await openWithImport(t);
  const [oursMs, importedMs] = [await measure(ours), await measure(imported)];
  t.ok(importedMs > 4 * oursMs, `bcrypt ${importedMs.toFixed(1)} ms, ours ${oursMs.toFixed(1)} ms`);
  const isDear = async (email: string) => (await measure(email, 3)) > Math.sqrt(oursMs * importedMs);

  const dear: string[] = [];
  const cheap: string[] = [];
  for (let n = 0; n < UNKNOWN; n++) {
    const email = freshEmail();
    ((await isDear(email)) ? dear : cheap).push(email);
  }
  // Four standard deviations of 32 draws are 11.
  t.ok(dear.length > 4 && cheap.length > 4, `${dear.length} as bcrypt, ${cheap.length} as ours`);
  for (const email of dear.slice(0, 5)) t.ok(await isDear(email), 'the same one each time');
  for (const email of cheap.slice(0, 5)) t.notOk(await isDear(email), 'the same one each time');

  const ratio = (await measure(dear[0]!)) / (await measure(imported));
  t.ok(ratio > 0.7 && ratio < 1.4, `an unknown address costs ${ratio.toFixed(2)} times what the imported account does`);
});
