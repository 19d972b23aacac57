/** What a metadata document of a client may be read from: the public internet, and nothing else. */
import { createServer, type Server } from 'node:net';
import { openClientDocuments } from '../../src/server/client-documents/index.js';
import { openClientHost, PUBLIC_ADDRESS } from '../support/client-host.js';
import { authorize, oauthSettings } from '../support/oauth-client.js';
import { findQuickest } from '../support/quickest.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const host = await openClientHost(t);
const here = (databaseUrl: string) => databaseUrl;
const quiet = { info: () => undefined };
const REFUSED = {
  status: 400,
  body: { error_code: 'oauth_client_not_found', msg: 'invalid client_id: its document cannot be read' },
};

t.test('a name with a private address is not connected to, whatever the settings say', async (t) => {
  const server = await openTestServer(
    t,
    oauthSettings({ OUTBOUND_PRIVATE_HOSTS: 'app.client.example,inside.example,127.0.0.1,localhost' }),
    here,
    host.internet,
  );
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['10.0.0.1'],
    ['172.16.0.1'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['100.100.100.200'],
    ['fd00:ec2::254'],
    ['fe80::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['0.0.0.0'],
    [PUBLIC_ADDRESS, '127.0.0.1'],
  ]) {
    host.names.set('inside.example', addresses);
    const { answer } = await authorize(server, { clientId: host.url('/agent.json', 'inside.example') });
    t.match(answer, REFUSED, addresses.join());
  }
  t.match((await authorize(server, { clientId: host.url('/agent.json', 'unknown.example') })).answer, REFUSED);
  t.same(host.reached, []);
});

t.test('addresses and names of this machine, without anything in the place of the internet', async (t) => {
  let connections = 0;
  const listener: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void listener.listen(0, resolve));
  t.teardown(() => new Promise<void>((resolve) => void listener.close(() => resolve())));
  const { port } = listener.address() as { port: number };
  const server = await openTestServer(t, oauthSettings({ OUTBOUND_PRIVATE_HOSTS: '127.0.0.1,localhost,[::1]' }));
  for (const name of ['127.0.0.1', '127.1.2.3', 'localhost', 'a.localhost', 'localhost.', '[::1]', '[::ffff:7f00:1]']) {
    const { answer } = await authorize(server, { clientId: `https://${name}:${port}/agent.json` });
    t.match(answer, REFUSED, name);
  }
  t.equal(connections, 0);
});

t.test('the connection goes to the address that was checked, not to what the name says next', async (t) => {
  let answers = 0;
  const rebinding = {
    ...host.internet,
    resolve: ((_name, _options, callback) => {
      answers += 1;
      callback(null, [{ address: answers === 1 ? PUBLIC_ADDRESS : '127.0.0.1', family: 4 }]);
    }) satisfies typeof host.internet.resolve,
  };
  const documents = openClientDocuments({ log: quiet, internet: rebinding });
  host.publishClient('/agent.json');
  const before = host.reached.length;
  t.match(await documents.read(host.url('/agent.json')), { members: { client_name: 'Agent' } });
  t.equal(answers, 1, 'one look-up');
  t.same(host.reached.slice(before), [PUBLIC_ADDRESS]);
  t.same(await documents.read(host.url('/agent.json')), { fault: 'unreadable' }, 'the next look-up is private');
  t.equal(host.reached.length, before + 1);
});

t.test('calls for one document at the same time are one call', async (t) => {
  const documents = openClientDocuments({ log: quiet, internet: host.internet });
  const id = host.publishClient('/popular.json');
  const found = await Promise.all(Array.from({ length: 50 }, () => documents.read(id)));
  t.equal(found.length, 50);
  t.equal(host.asked.filter((path) => path === '/popular.json').length, 1);
});

t.test('a certificate of another name is refused', async (t) => {
  host.names.set('other.example', [PUBLIC_ADDRESS]);
  const documents = openClientDocuments({ log: quiet, internet: host.internet });
  const asked = host.asked.length;
  t.same(await documents.read(host.url('/agent.json', 'other.example')), { fault: 'unreadable' });
  t.equal(host.asked.length, asked);
});

t.test('an answer that does not end is cut off after five seconds; no more than 32 wait', async (t) => {
  const slow = Array.from({ length: 32 }, (_, number) => `/slow-${number}.json`);
  for (const path of slow) host.publish(path, { hangs: true });
  const { ms, result: documents } = await findQuickest(9000, async () => {
    const documents = openClientDocuments({ log: quiet, internet: host.internet });
    const waiting = slow.map((path) => documents.read(host.url(path)));
    t.same(await documents.read(host.url('/agent.json')), { fault: 'busy' });
    t.same(
      new Set((await Promise.all(waiting)).map((answer) => JSON.stringify(answer))),
      new Set(['{"fault":"unreadable"}']),
    );
    return documents;
  });
  t.ok(ms > 4000 && ms < 9000, `${Math.round(ms)} ms`);
  t.match(await documents.read(host.url('/agent.json')), { members: { client_name: 'Agent' } }, 'then there is room');
});

t.test('only the hosts of the setting', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_CLIENT_ID_METADATA_HOSTS: 'apps.example, *.Client.example' });
  const server = await openTestServer(t, settings, here, host.internet);
  host.publishClient('/agent.json');
  t.equal((await authorize(server, { clientId: host.url('/agent.json') })).answer.status, 302);
  for (const name of ['client.example', 'evilclient.example', 'app.client.example.evil.example', 'x.apps.example']) {
    host.names.set(name, [PUBLIC_ADDRESS]);
    const { answer } = await authorize(server, { clientId: host.url('/agent.json', name) });
    t.match(answer, { status: 400, body: { msg: 'invalid client_id format' } }, name);
  }
});

t.test('switched off', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_CLIENT_ID_METADATA_ENABLED: 'false' });
  const server = await openTestServer(t, settings, here, host.internet);
  const asked = host.asked.length;
  const { answer } = await authorize(server, { clientId: host.url('/agent.json') });
  t.match(answer, { status: 400, body: { msg: 'invalid client_id format' } });
  t.equal(host.asked.length, asked);
  const discovery = await server.call('GET', '/.well-known/oauth-authorization-server');
  t.equal(discovery.body.client_id_metadata_document_supported, false);
});
