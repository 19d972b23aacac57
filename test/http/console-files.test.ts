/** What browsers load of the console: one document, and files that never change under their names. */
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readConsoleFiles } from '../../src/server/console/console-files.js';
import { openTestConsole } from '../support/console.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { t } from '../support/tap.js';

/** Most bytes as they are sent; most of one write. */
const budgets = { firstLoad: 45_000, style: 10_000, part: 25_000, file: 65_536 } as const;

const namesIn = (html: string, tag: RegExp): string[] =>
  [...html.matchAll(/<(?:link|script)[^>]*>/g)]
    .filter(([text]) => tag.test(text))
    .map(([text]) => /(?:href|src)="([^"]+)"/.exec(text)![1]!);

t.test('every page of the console is one document, which is not stored and names its parts', async (t) => {
  const console = await openTestConsole(t);
  const browser = new ConsoleBrowser(console.consolePort);
  const { pages } = readConsoleFiles();
  t.ok(pages.has('/users'));
  const first = await browser.get('/');
  const withoutParts = (html: string) => html.replaceAll(/<link rel="(?:modulepreload|preload)"[^>]*>\n/g, '');
  for (const page of ['/link', ...pages.keys()]) {
    const path = page.replaceAll(/\{[^}]+\}/g, 'x');
    const answer = await browser.get(path);
    t.equal(answer.status, 200, path);
    t.equal(withoutParts(answer.text), withoutParts(first.text));
    const own = namesIn(answer.text, /modulepreload/).filter((name) => !first.text.includes(name));
    if (page !== '/link' && page !== '/') t.ok(own.length > 0, `${page} has a part of its own`);
    for (const name of own) t.equal((await browser.get(name)).status, 200, name);
    t.equal((await console.call('GET', path)).status, 404, `${path} on the port of the API`);
  }
  t.equal(first.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(first.headers['cache-control'], 'no-store');
  t.match(first.headers['content-security-policy'], /^default-src 'none'; script-src 'self'; style-src 'self';/);
  t.notMatch(first.text, /style=|<style|<script>|https?:/, 'nothing inline, nothing from elsewhere');
  t.equal((await browser.get('/', { 'sec-fetch-site': 'cross-site' })).status, 200, 'a link elsewhere may lead here');
  t.match(await browser.get('/nothing'), { status: 404, body: { error_code: 'not_found' } });
  t.equal((await browser.get('/', { host: 'evil.example' })).status, 421);
  for (const path of ['/', '/api/sign-in']) {
    const [head, get] = [await browser.call('HEAD', path), await browser.get(path)];
    t.same([head.status, head.text, head.headers['content-length']], [200, '', get.headers['content-length']], path);
  }
});

t.test('long answers of the API are compressed for browsers, short ones and others are not', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  const accept = { 'accept-encoding': 'gzip, deflate, br' };
  await console.database.admin.query(`
    insert into users (id, aud, role, email)
    select gen_random_uuid(), 'authenticated', 'authenticated', 'u' || n || '@example.com' from generate_series(1, 50) n`);
  const plain = await browser.get('/api/users');
  t.equal(plain.headers['content-encoding'], undefined);
  const sent = await new Promise<Buffer>((resolve, reject) => {
    const headers = {
      ...accept,
      cookie: browser.cookie,
      host: `localhost:${console.consolePort}`,
      'sec-fetch-site': 'same-origin',
    };
    get({ port: console.consolePort, path: '/api/users', headers }, (response) => {
      t.match(response.headers, {
        'content-encoding': 'br',
        'content-type': 'application/json',
        'cache-control': 'no-store',
        vary: /Accept-Encoding/,
      });
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });
  t.equal(brotliDecompressSync(sent).toString(), plain.text);
  t.ok(sent.length * 4 < plain.text.length, `${sent.length} of ${plain.text.length} bytes`);
  const short = await browser.get('/api/me', accept);
  t.equal(short.headers['content-encoding'], undefined);
  t.match(short.body, { operator: { role: 'viewer' } });
  t.equal((await browser.get('/api/users?cursor=x', accept)).body.error_code, 'validation_failed');
});

t.test('files are compressed, cached for good, and within their budgets', async (t) => {
  const console = await openTestConsole(t);
  const browser = new ConsoleBrowser(console.consolePort);
  const { text } = await browser.get('/');
  const scripts = namesIn(text, /module/);
  const styles = namesIn(text, /stylesheet/);
  t.ok(scripts.length > 1);
  t.equal(styles.length, 1);
  let firstLoad = 0;
  for (const name of readConsoleFiles().assets.keys()) {
    const path = `/assets/${name}`;
    t.match(name, /-[A-Za-z0-9]{8}\.(?:js|css|svg)$/, 'the name has the hash');
    const sent = await browser.get(path, { 'accept-encoding': 'gzip, deflate, br' });
    t.match(sent.headers, {
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    const size = Number(sent.headers['content-length']);
    t.ok(size > 0);
    t.ok(size <= (name.endsWith('.css') ? budgets.style : budgets.part), `${name} has ${size} bytes`);
    if (scripts.includes(path)) firstLoad += size;
    const plain = await browser.get(path);
    t.equal(plain.headers['content-encoding'], undefined);
    t.ok(Number(plain.headers['content-length']) <= budgets.file, name);
  }
  t.ok(firstLoad > 5000 && firstLoad <= budgets.firstLoad, `the first load has ${firstLoad} bytes of script`);
  t.match(await browser.get('/assets/nothing.js'), { status: 404, body: { error_code: 'asset_not_found' } });
});

t.test('the compressed forms are those of the file', async (t) => {
  const { assets } = readConsoleFiles();
  t.ok(assets.size > 5);
  for (const [name, { bytes, packed }] of assets) {
    t.ok(brotliDecompressSync(packed.get('br')!).equals(bytes), name);
    t.ok(gunzipSync(packed.get('gzip')!).equals(bytes), name);
  }
});
