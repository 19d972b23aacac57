/** What `latchkey dev` and `latchkey init` show and ask in a terminal and on the first page. A whole start: e2e/dev-start. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { startPageRoute } from '../../src/dev/start-page/index.js';
import { startScreen } from '../../src/dev/start-screen.js';
import { openPrompt, PromptEndedError } from '../../src/server/cli/prompt.js';
import { findConsolePort, reservePort } from '../../src/server/commands/dev/ports.js';
import type { ApiRequest } from '../../src/server/http/types.js';
import type { App } from '../../src/server/runtime/app.js';
import { t } from '../support/tap.js';

const url = 'http://localhost:8081';

t.test('the first page leads to what is on, and to nothing else', async (t) => {
  const content = { version: '0.0.0', ownUrl: url, hasPages: true, hasCompany: true, consoleUrl: null, hasSite: true };
  const show = async (changes: Partial<typeof content> = {}) =>
    startPageRoute({ ...content, ...changes }).handler({} as App, {} as ApiRequest);
  const [all, few] = [await show(), await show({ hasCompany: false, hasSite: false })];
  const nonce = /nonce="([^"]+)"/.exec(String(all.body))![1]!;
  t.match(all.headers, { 'Content-Security-Policy': `style-src 'nonce-${nonce}'`, 'Cache-Control': 'no-store' });
  t.notOk(String(few.body).includes(nonce), 'a nonce is used once');
  for (const link of ['dev/identity-provider', 'docs/']) {
    t.ok(String(all.body).includes(`href="${link}"`), link);
    t.notOk(String(few.body).includes(`href="${link}"`), link);
  }
});

t.test('the start screen names what is on, and has commands to paste', async (t) => {
  const about = { version: '0.0.0', engine: 'engine 1', url, databaseLabel: 'a database', role: 'service_role' };
  const all = startScreen({ ...about, token: 'the.token', isRegistered: true, hasSite: true, consoleLink: 'the link' });
  for (const text of ['a database', 'the.token', 'the link', '/dev/identity-provider', '/docs/', `${url}/signup -d`]) {
    t.ok(all.includes(text), text);
  }
  const few = startScreen({ ...about, token: 'x', isRegistered: false, hasSite: false, consoleLink: null });
  t.notMatch(few, /Console|Company|Docs/);
});

t.test('ports are looked for before anything is started', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  await t.rejects(reservePort({ apiHost: '127.0.0.1', port }), { message: new RegExp(String(port)) });
  t.ok((await reservePort({ apiHost: '127.0.0.1', port: 0 })) > 0);
  const found = await findConsolePort({ consoleHost: '127.0.0.1', port: port - 1 });
  t.ok(found !== undefined && found > port, `${found} after ${port}`);
  t.equal(await findConsolePort({ consoleHost: '127.0.0.1', port: 65_535 }), undefined, 'there is none above');
});

t.test('questions are answered line by line; a secret is not shown; the end is an error', async (t) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const prompt = openPrompt(input, output);
  input.write('pasted\rearly\r');
  t.equal(await prompt.ask('First? '), 'pasted');
  t.equal(await prompt.ask('Second? '), 'early');
  const secret = prompt.ask('Password? ', true);
  input.write('hidden\r');
  t.equal(await secret, 'hidden');
  t.match(shown, /First\? [\s\S]*Password\? /);
  t.notMatch(shown, /hidden/);
  const last = prompt.ask('Last? ');
  prompt.close();
  await t.rejects(last, { message: new PromptEndedError().message });
});
