/** A page of an application, as its developer would write it: @supabase/auth-js in a browser, without a bundler. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, normalize } from 'node:path';
import type { Test } from 'tap';

/** The folder of the package's browser modules; they import each other without a file ending. */
const main = createRequire(import.meta.url).resolve('@supabase/auth-js');
const modules = join(dirname(main), '..', 'module');
/** The one package they import by name. */
const tslib = join(dirname(createRequire(main).resolve('tslib/package.json')), 'tslib.es6.mjs');

const page = `<!doctype html>
<title>Application</title>
<p id="who"></p>
<p id="problem"></p>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<button id="github">GitHub</button> <button id="apple">Apple</button>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const [flowType, port] = location.pathname.slice(1).split('/');
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const client = new AuthClient({
    url: 'http://127.0.0.1:' + port, flowType, storageKey: flowType, autoRefreshToken: false, detectSessionInUrl: true,
  });
  const { error } = await client.initialize();
  if (error) show('problem', error.message);
  const { data } = await client.getUser();
  show('who', data.user ? data.user.email + ' by ' + data.user.app_metadata.provider : 'nobody');
  for (const provider of ['github', 'apple']) {
    document.getElementById(provider).onclick = () =>
      client.signInWithOAuth({ provider, options: { redirectTo: location.origin + location.pathname } });
  }
</script>`;

/** @returns the origin; the page stands below `/<flow type>/<port of the auth server>` */
export async function serveAuthJsPage(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    if (!path.startsWith('/auth-js/')) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const file = path === '/auth-js/tslib' ? tslib : `${join(modules, normalize(path.slice('/auth-js'.length)))}.js`;
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
