import { callOut } from '../../src/server/outbound/outbound.js';
import {
  isPrivateName,
  isPublicAddress,
  lookUpPublic,
  PrivateAddressError,
} from '../../src/server/outbound/public-address.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

t.test('which addresses are public', async (t) => {
  const publicOnes = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];
  const others = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1', '224.0.0.1'],
    ...[
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      '64:ff9b::a00:1',
      'fc00::1',
      'fe80::1',
      'ff02::1',
    ],
    ...['2002:a00:1::', '::7f00:1', 'no address', ''],
  ];
  for (const address of publicOnes) t.ok(isPublicAddress(address), address);
  for (const address of others) t.notOk(isPublicAddress(address), address);
  for (const name of ['localhost', 'LocalHost.', 'a.localhost', '[::1]', '127.0.0.1']) t.ok(isPrivateName(name), name);
  for (const name of ['example.com', 'localhost.example.com', '8.8.8.8', '[2606:4700::1111]'])
    t.notOk(isPrivateName(name));
});

t.test('a call to an address of a request is guarded, redirects too', async (t) => {
  const server = await startStubServer(t);
  server.answers.set('/', { body: {} });
  t.equal((await callOut({ url: server.url })).status, 200);
  t.equal((await callOut({ url: server.url, privateHosts: ['127.0.0.1'] })).status, 200);
  await t.rejects(callOut({ url: server.url, privateHosts: [] }), { message: /not on the public internet/ });
});

t.test('what a name resolves to counts', async (t) => {
  const look = (options: object) =>
    new Promise((resolve) => {
      lookUpPublic('localhost', options, (error, found) => resolve(error ?? found));
    });
  t.ok((await look({})) instanceof PrivateAddressError);
  t.ok((await look({ all: true })) instanceof PrivateAddressError);
  t.match(await look({ family: 4, all: true }), { name: 'PrivateAddressError' });
});
