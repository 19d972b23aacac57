import { networkOf, readClientKey } from '../../src/server/guards/client-key.js';
import { t } from '../support/tap.js';

const forwarded = { header: 'x-forwarded-for', trustedHops: 0 };

t.test('SEC-68: IPv4 whole, IPv6 cut to /64, mapped IPv4 unfolded', async (t) => {
  const table: [string, string | null][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
    ['203.0.113', null],
    ['203.0.113.09', null],
    ['203.0.113.256', null],
    ['2001:db8::1::2', null],
    ['', null],
    ['unknown', null],
  ];
  for (const [text, network] of table) t.equal(networkOf(text), network, text);
});

t.test('SEC-68: the first element, or the one counted from the right when hops are trusted', async (t) => {
  const list = ['198.51.100.1, 203.0.113.7 ,192.0.2.5'];
  t.equal(readClientKey(list, forwarded), '198.51.100.1');
  t.equal(readClientKey(list, { ...forwarded, trustedHops: 1 }), '192.0.2.5');
  t.equal(readClientKey(list, { ...forwarded, trustedHops: 2 }), '203.0.113.7');
  t.equal(readClientKey(list, { ...forwarded, trustedHops: 4 }), null, 'fewer proxies than trusted');
  t.equal(
    readClientKey(['198.51.100.1', '192.0.2.5'], { ...forwarded, trustedHops: 1 }),
    '192.0.2.5',
    'a proxy that adds a line of its own is counted like one that extends the list',
  );
});

t.test('SEC-68: what cannot be a key is none', async (t) => {
  for (const item of ['', ' ', ',203.0.113.9', 'unknown', '_hidden', '1', 'x'.repeat(50), '203.0.113.9 198.51.100.1']) {
    t.equal(readClientKey([item], forwarded), null, JSON.stringify(item));
    t.equal(readClientKey([item], { header: 'CF-Connecting-IP', trustedHops: 0 }), null, JSON.stringify(item));
  }
  t.equal(readClientKey([], forwarded), null, 'absent');
});

t.test('a header of ids counts ids, hashed', async (t) => {
  const ids = { header: 'x-client-id', trustedHops: 0 };
  const key = readClientKey(['tenant-7'], ids);
  t.match(key, /^id:[\w-]{43}$/);
  t.equal(readClientKey([' tenant-7 , other'], ids), key);
  t.not(readClientKey(['tenant-8'], ids), key);
  t.equal(readClientKey(['2001:db8:1:2::7'], ids), '2001:db8:1:2::/64');
  for (const value of ['', 'two words', 'x'.repeat(129), 'ümlaut']) t.equal(readClientKey([value], ids), null, value);
});
