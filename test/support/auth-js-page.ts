/** A page of an application that uses @supabase/auth-js in a browser, without a bundler. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, normalize } from 'node:path';
import type { Test } from './tap.js';

/** The release that most applications have, and the newest one, which has recovery codes. */
type ClientPackage = '@supabase/auth-js' | 'auth-js-newest';

/** The browser modules of the package; they import each other without a file ending, and only tslib by name. */
function findModules(name: ClientPackage): { readonly folder: string; readonly tslib: string } {
  const main = createRequire(import.meta.url).resolve(name);
  const tslib = join(dirname(createRequire(main).resolve('tslib/package.json')), 'tslib.es6.mjs');
  return { folder: join(dirname(main), '..', 'module'), tslib };
}

const page = `<!doctype html>
<title>Application</title>
<p id="who"></p>
<p id="identities"></p>
<p id="problem"></p>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<button id="github">GitHub</button> <button id="apple">Apple</button>
<button id="custom:hosted">Hosted</button> <button id="link">Link GitLab</button>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const [flowType, port, isProxied] = location.pathname.slice(1).split('/');
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const client = new AuthClient({
    url: isProxied ? location.origin + '/auth/' + port : 'http://127.0.0.1:' + port, flowType, storageKey: flowType, autoRefreshToken: false, detectSessionInUrl: true,
  });
  const { error } = await client.initialize();
  if (error) show('problem', error.message);
  const { data } = await client.getUser();
  show('who', data.user ? data.user.email + ' by ' + data.user.app_metadata.provider : 'signed out');
  show('identities', (data.user?.identities ?? []).map((identity) => identity.provider).join(' '));
  const options = { redirectTo: location.origin + location.pathname };
  for (const provider of ['github', 'apple', 'custom:hosted']) {
    document.getElementById(provider).onclick = () => client.signInWithOAuth({ provider, options });
  }
  document.getElementById('link').onclick = async () => {
    const { error } = await client.linkIdentity({ provider: 'gitlab', options });
    if (error) show('problem', error.message);
  };
</script>`;

/**
 * @param html of another page than that of sign-ins at providers
 * @param modules folders of further modules, by the first part of their path
 * @returns the origin; the page is at `/<flow type>/<port of the auth server>`, and, where a third step follows,
 *   reaches that server through its own origin
 */
export async function serveAuthJsPage(
  t: Test,
  html = page,
  client: ClientPackage = '@supabase/auth-js',
  modules: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { folder, tslib } = findModules(client);
  const folders: Readonly<Record<string, string>> = { ...modules, 'auth-js': folder };
  const findFile = (path: string): string | null => {
    const [, name = '', ...rest] = path.split('/');
    if (path === '/auth-js/tslib') return tslib;
    const module = normalize(`/${rest.join('/')}`);
    return folders[name] === undefined ? null : join(folders[name], module.endsWith('.js') ? module : `${module}.js`);
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    if (path.startsWith('/auth/')) return passOn(request, response);
    const file = findFile(path);
    if (file === null) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
      return;
    }
    readFile(file).then(
      (text) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(text),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `/auth/<port>/path` of the page's origin, as a proxy before both would have it. */
function passOn(request: IncomingMessage, response: ServerResponse): void {
  const [, port, path] = /^\/auth\/(\d+)(\/.*)$/.exec(request.url ?? '')!;
  const { method, headers } = request;
  const onward = requestHttp(
    { host: '127.0.0.1', port: Number(port), path, method, headers, agent: false },
    (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
