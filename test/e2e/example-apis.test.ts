/** The APIs of examples/next-js and examples/svelte-kit say at start why they would refuse every token. */
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('examples in several languages, which only a change of their own can break');

const KEY = { kty: 'EC', crv: 'P-256', kid: 'key-1', alg: 'ES256', x: 'eA', y: 'eQ' };

for (const name of ['next-js', 'svelte-kit']) {
  const start = async (t: Parameters<typeof startExample>[0], url: string) =>
    startExample(t, `node examples/${name}/api.js`, { LATCHKEY_URL: url, API_PORT: String(await freePort()) });

  t.test(`${name}: a key set without keys`, async (t) => {
    const url = await serveOnLoopback(t, (_request, response) => response.end('{"keys":[]}'));
    const api = await start(t, url);
    t.match(await api.line(/.* is 401/), /AUTH_JWT_KEYS=.*latchkey keys generate --alg ES256 --kid key-1/);
    await api.line(/API at/);
  });

  t.test(`${name}: no server at the address`, async (t) => {
    const url = `http://localhost:${await freePort()}`;
    t.match(await (await start(t, url)).line(/.* is 401/), `No key set at ${url}/.well-known/jwks.json`);
  });

  t.test(`${name}: something else answers at the address`, async (t) => {
    const url = await serveOnLoopback(t, (_request, response) => response.end('<h1>Welcome</h1>'));
    t.match(await (await start(t, url)).line(/.* is 401/), /set LATCHKEY_URL to its address/);
  });

  t.test(`${name}: nothing to say about a key set with a key`, async (t) => {
    let asked = 0;
    const url = await serveOnLoopback(t, (_request, response) => {
      asked += 1;
      response.end(JSON.stringify({ keys: [KEY] }));
    });
    t.match(await (await start(t, url)).line(/^.*API at/), /^API at/);
    t.equal(asked, 1);
  });
}
