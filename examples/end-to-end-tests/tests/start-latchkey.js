/** Before all tests: a Latchkey with an empty database of its own, which is gone afterwards. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const { LATCHKEY_PORT = '8090', LATCHKEY = '../latchkey/bin/latchkey.cjs' } = process.env;
const launcher = resolve(LATCHKEY);
const url = `http://localhost:${LATCHKEY_PORT}`;

const settings = {
  AUTH_API_PORT: LATCHKEY_PORT,
  // Only faults of the server, between the lines of Playwright; `info` shows each request.
  LOG_LEVEL: 'error',
  // As in production: a new address has to be proven.
  AUTH_MAILER_AUTOCONFIRM: 'false',
  AUTH_SMS_AUTOCONFIRM: 'false',
  // Tests send more than users do in an hour.
  AUTH_RATE_LIMIT_EMAIL_SENT: '100000',
  // Numbers with a code that never changes, one for each test that needs one.
  AUTH_SMS_TEST_OTP: '15555550100:123456,15555550101:654321',
};

export default async function startLatchkey() {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-'));
  // Where root runs the tests, Postgres runs as another user.
  await chmod(directory, 0o711);
  const options = { cwd: directory, env: { ...process.env, ...settings } };
  const server = spawn(process.execPath, [launcher, 'dev'], { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    while (!(await isReady())) {
      if (server.exitCode !== null) throw new Error('Latchkey did not start');
      await setTimeout(100);
    }
    // A token of an administrator, from the settings of the server that runs in this directory.
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, 'token', '--exp', '6h'], options);
    // The processes of the tests inherit the environment.
    process.env.LATCHKEY_URL = url;
    process.env.LATCHKEY_ADMIN_TOKEN = stdout.trim();
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

const isReady = () =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
