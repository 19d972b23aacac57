/** docs/guides/native-apps.md: its code, as an app would run it, with the hosted pages in the browser of the system. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claimsOf } from '../support/authenticator-app.js';
import { openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import { freshEmail } from '../support/server.js';
import { repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

interface Session {
  begin(): Promise<string>;
  finish(callback: string): Promise<{ email: string }>;
  accessToken(): Promise<string | null>;
  signOut(): Promise<void>;
}
interface Options {
  readonly url: string;
  readonly redirectTo: string;
  readonly storage: object;
}
const module = pathToFileURL(join(repository, 'examples/native-apps/session.js')).href;
const { openSession } = (await import(module)) as { openSession(options: Options): Session };

const LISTED = ['https://app.example.com/signed-in', 'com.example.app://signed-in'];
const SITE_URL = 'https://site.example.com';
const server = await openHostedServer(t, { URI_ALLOW_LIST: LISTED.join(','), SITE_URL, JWT_EXP: '70' });

/** A device with secure storage. */
function openDevice(redirectTo: string, kept = new Map<string, string>()) {
  const storage = {
    get: async (name: string) => kept.get(name) ?? null,
    set: async (name: string, text: string) => void kept.set(name, text),
    remove: async (name: string) => void kept.delete(name),
  };
  return { kept, session: openSession({ url: server.issuer, redirectTo, storage }) };
}

/** Signs up in the browser of the system. @returns the address to which it goes at last */
async function signUpAt(address: string, email = freshEmail()): Promise<string> {
  const browser = await server.openBrowser().open(address);
  await signUpOnPages(browser, email);
  return browser.onward || browser.url;
}

for (const redirectTo of LISTED) {
  t.test(`the app signs in by ${redirectTo}`, async (t) => {
    const { kept, session } = openDevice(redirectTo);
    const email = freshEmail();
    const callback = await signUpAt(await session.begin(), email);
    t.ok(callback.startsWith(`${redirectTo}?code=`), callback);
    t.match(await session.finish(callback), { email });
    const first = (await session.accessToken())!;
    t.match(claimsOf(first), { email });
    t.same([...kept.keys()], ['refresh-token'], 'no access token is stored, and the verifier is gone');
    await t.rejects(session.finish(callback), /not the answer to a sign-in/, 'a code counts once');

    // Started again: only the storage is there. Two screens ask at once.
    const restarted = openDevice(redirectTo, kept).session;
    const [one, two] = await Promise.all([restarted.accessToken(), restarted.accessToken()]);
    t.equal(one, two);
    t.equal(claimsOf(one!)['session_id'], claimsOf(first)['session_id']);

    await restarted.signOut();
    t.same([...kept], []);
    t.equal(await restarted.accessToken(), null);
  });
}

t.test('an address that is not listed becomes SITE_URL, whatever it resembles', async (t) => {
  for (const redirectTo of [
    'com.example.other://signed-in',
    'com.example.app://signed-in/more',
    'com.example.app:signed-in',
    'https://app.example.com/signed-in/more',
    'https://app.example.com.evil.example/signed-in',
  ]) {
    const { session } = openDevice(redirectTo);
    const callback = await signUpAt(await session.begin());
    t.ok(callback.startsWith(`${SITE_URL}?code=`) || callback.startsWith(`${SITE_URL}/?code=`), callback);
  }
});

t.test('another app that gets the code can do nothing with it', async (t) => {
  const { session } = openDevice(LISTED[1]!);
  const other = openDevice(LISTED[1]!);
  const callback = await signUpAt(await session.begin());
  await other.session.begin();
  await t.rejects(other.session.finish(callback), 'its verifier is another one');
  t.same(other.kept.get('refresh-token'), undefined);
});

t.test('without an answer the session stays, and a refusal ends it', async (t) => {
  const { kept, session } = openDevice(LISTED[0]!);
  await session.finish(await signUpAt(await session.begin()));
  const token = kept.get('refresh-token')!;
  const url = 'http://127.0.0.1:1';
  const storage = {
    get: async () => kept.get('refresh-token') ?? null,
    remove: async () => void kept.delete('refresh-token'),
  };
  await t.rejects(openSession({ url, redirectTo: LISTED[0]!, storage }).accessToken(), /fetch failed/);
  t.equal(kept.get('refresh-token'), token);
  kept.set('refresh-token', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`);
  t.equal(await openDevice(LISTED[0]!, kept).session.accessToken(), null);
  t.equal(kept.get('refresh-token'), undefined);
});
