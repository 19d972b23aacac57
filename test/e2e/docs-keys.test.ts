import * as jose from 'jose';
import { codeBlocksOf } from '../support/code-blocks.js';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, openTestServer, password, testEnvironment } from '../support/server.js';
import { makeTestJwk } from '../support/signing-keys.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('commands of a document; its commands: http/stored-keys');

const blocksOf = (language: string): string[] => codeBlocksOf('docs/keys.md', language);
const commandsOf = (block: string): string[][] =>
  block
    .split('\n')
    .filter((line) => line.startsWith('latchkey '))
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1));

t.test('docs/keys.md: its commands and its verifier work', async (t) => {
  const database = await createTestDatabase(t);
  const settings = { JWT_KEYS_SOURCE: 'database', DB_DATABASE_URL: database.url };
  const { url, post } = await openTestServer(t, settings);
  const [session, generate] = blocksOf('sh') as [string, string];
  const outputs: string[] = [];
  for (const words of commandsOf(session)) {
    const { code, out, err } = await runCommand(words, testEnvironment(database.url, settings), '/dev/null');
    t.equal(code, 0, `${words.join(' ')} ${err}`);
    outputs.push(out);
  }
  t.match(outputs, [
    'key-1 signs now.\n',
    /^key-1 +ES256 +active/m,
    /^key-2 is published, and signs from /,
    /^A rotation is under way: key-2/,
    'key-2 signs now.\n',
    'key-1 is refused from now on; key-2 signs.\n',
    /key-2 \(ES256\) signs\.[\s\S]*Every key works/,
  ]);
  const made = await runCommand(commandsOf(generate)[0]!, {}, '/dev/null');
  t.match(JSON.parse(made.out), { kty: 'EC', kid: 'key-1', alg: 'ES256', key_ops: ['sign', 'verify'] });

  let token = '';
  await until(async () => {
    token = (await post('/signup', { email: freshEmail(), password })).body.access_token;
    return jose.decodeProtectedHeader(token).kid === 'key-2';
  });
  const [script] = blocksOf('js') as [string];
  const body = script.replace(/^import .*$/m, '').replace('http://localhost:8081', url);
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const verify = AsyncFunction('createRemoteJWKSet', 'jwtVerify', 'token', `${body}; return payload;`);
  const payload = await verify(jose.createRemoteJWKSet, jose.jwtVerify, token);
  t.match(payload, { role: 'authenticated', aud: 'authenticated' });
});

t.test('check keys', async (t) => {
  const check = async (settings: Record<string, string>) =>
    runCommand(['check', 'keys'], testEnvironment('postgres://a@b/c', settings), '/dev/null');
  t.match(await check({}), { code: 0, out: /ok +jwt-secret \(HS256\) signs\.\n\nEvery key works/ });
  const generated = await runCommand(['keys', 'generate', '--alg', 'EdDSA', '--kid', 'e'], {}, '/dev/null');
  const { code, out } = await check({ JWT_KEYS: `[${generated.out}]` });
  t.equal(code, 0);
  t.match(out, /e \(EdDSA\) signs\./);
  t.match(out, /hint +e: @supabase\/auth-js cannot verify EdDSA; use ES256/);
  t.match(out, /hint +Tokens under AUTH_JWT_SECRET are refused/);
  const listed = JSON.stringify([JSON.parse(generated.out), makeTestJwk('HS256', 'h', ['verify'])]);
  t.match((await check({ JWT_KEYS: listed })).out, /hint +Tokens under AUTH_JWT_SECRET are accepted as well/);
  t.notOk(out.includes(JSON.parse(generated.out).d), 'no key is printed');
});
