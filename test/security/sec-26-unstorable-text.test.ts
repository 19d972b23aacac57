import { exchangeRaw } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';
import { words } from '../support/words.js';

const server = await openTestEdge();
t.teardown(() => server.close());

async function post(body: Buffer | string): Promise<number> {
  const bytes = Buffer.from(body as string);
  const head = Buffer.from(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\n`);
  return (await exchangeRaw(server.port, Buffer.concat([head, bytes]))).status;
}

const places = {
  email: (text: string) => `{"email":"${text}"}`,
  password: (text: string) => `{"password":"${text}"}`,
  token: (text: string) => `{"token":"${text}"}`,
  'unknown field': (text: string) => `{"other":"${text}"}`,
  'field name': (text: string) => `{"${text}":1}`,
  metadata: (text: string) => `{"data":{"a":{"b":["${text}"]}}}`,
  'metadata key': (text: string) => `{"data":{"a":[{"k${text}":1}]}}`,
};

t.test('SEC-26 U+0000 and unpaired surrogates are refused wherever they stand', async (t) => {
  const bad = words(`
    \\u0000 a\\u0000b \\ud800 \\uD83D \\udc00 \\ude00\\ud83d \\ud83dx\\ude00 \\ud83d\\ud83d\\ude00
  `);
  for (const [place, body] of Object.entries(places)) {
    for (const text of bad) t.equal(await post(body(text)), 400, `${text} in ${place}`);
  }
  t.same(server.reached, []);
});

t.test('SEC-26 invalid UTF-8 is rejected', async (t) => {
  for (const bytes of [
    [0xff],
    [0xc0, 0x80],
    [0xed, 0xa0, 0xbd],
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x00],
  ]) {
    const body = Buffer.concat([Buffer.from('{"email":"'), Buffer.from(bytes), Buffer.from('"}')]);
    t.equal(await post(body), 400, body.toString('hex'));
  }
  t.same(server.reached, []);
});

t.test('SEC-26 everything else passes unchanged', async (t) => {
  for (const text of 'é 😀 \\ud83d\\ude00 \\uD83D\\uDE00 \\u0001 \\\\u0000 \\\\ud800 \ufffd \uffff'.split(' ')) {
    for (const place of ['email', 'metadata', 'metadata key'] as const) {
      t.equal(await post(places[place](text)), 200, `${text} in ${place}`);
    }
  }
});
