import bcrypt from 'bcryptjs';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const UNKNOWN = 32;
const TRIES = 5;
/** A quarter of the usual work: still many times that of our hashes here. */
const BCRYPT_COST = 8;

/**
 * A server with two accounts, one of them imported. Its threads are this process's: the processor time of a sign-in is
 * what its answer takes on a machine that does nothing else, and other load does not change it.
 */
async function openWithImport(t: Test) {
  const { post, database } = await openTestServer(t, {
    SECURITY_LOGIN_THROTTLE: 'false',
    // A machine with other load takes its time, which is not what is measured.
    API_MAX_REQUEST_DURATION: '60s',
  });
  const [ours, imported] = [freshEmail(), freshEmail()];
  for (const email of [ours, imported]) await post('/signup', { email, password });
  await database.admin.query('update users set password_hash = $1 where email = $2', [
    bcrypt.hashSync(password, BCRYPT_COST),
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
  /** Other work of the process adds to some tries; none takes less than its hash. */
  async function measure(email: string): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < TRIES; n++) times.push(await signIn(email));
    return Math.min(...times);
  }
  for (const email of [ours, imported]) await measure(email);
  return { ours, imported, measure, signIn };
}

t.test('SEC-47: if half of the hashes are bcrypt, half of the unknown addresses cost as much', async (t) => {
  const { ours, imported, measure, signIn } = await openWithImport(t);
  const [oursMs, importedMs] = [await measure(ours), await measure(imported)];
  t.ok(importedMs > 4 * oursMs, `bcrypt ${importedMs.toFixed(1)} ms, ours ${oursMs.toFixed(1)} ms`);
  const limitMs = Math.sqrt(oursMs * importedMs);
  /** Ends at the first of three tries that shows it. */
  async function isDear(email: string): Promise<boolean> {
    for (let n = 0; n < 3; n++) if ((await signIn(email)) < limitMs) return false;
    return true;
  }

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
