/** The examples of docs/mfa.md run. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { AuthClient } from '@supabase/auth-js';
import { codeOf } from '../support/authenticator-app.js';
import { findProgram } from '../support/client-pools.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('commands of a document; its endpoints: factors/');

const blocksOf = (language: string): string[] => codeBlocksOf('docs/mfa.md', language);

t.test('with curl', async (t) => {
  if ((await findProgram('curl', '--version')) === null) return skipHere(t, missingProgram('curl', 'curl'));
  const { url } = await openTestServer(t);
  const [enrol, verify, signIn] = blocksOf('sh').map((block) => block.replace('http://localhost:8081', url));
  const directory = t.testdir();
  const shell = spawn('sh', ['-ec', `${enrol}${verify}${signIn}`], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answer = readText(shell.stdout);
  const picture = join(directory, 'factor.svg');
  await until(() => existsSync(picture) && readFileSync(picture, 'utf8').includes('</svg>'));
  const { totp } = JSON.parse(readFileSync(join(directory, 'factor.json'), 'utf8'));
  // The app shows the next code half a minute later; the server takes it a step early.
  shell.stdin.end(`${codeOf(totp.secret)}\n${codeOf(totp.secret, 1)}\n`);
  t.equal(await answer, 'verified\nverified\n');
});

t.test('with the JavaScript client', async (t) => {
  const { url } = await openTestServer(t);
  const auth = new AuthClient({ url, autoRefreshToken: false, persistSession: false, detectSessionInUrl: false });
  await auth.signUp({ email: freshEmail(), password });
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const enrol = AsyncFunction('auth', 'askForCode', blocksOf('js')[0]!);
  const askForCode = async ({ qr_code, secret }: { qr_code: string; secret: string }) => {
    t.match(qr_code, /^data:image\/svg\+xml/);
    return codeOf(secret);
  };
  t.equal(await enrol(auth, askForCode), 'aal2');
});
