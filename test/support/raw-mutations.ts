/** Random mutations of valid requests (SEC-24). */
import type { Random } from './long-form.js';

/** The bytes of one connection, as separately sent latin1 strings. */
export interface BentTraffic {
  readonly pieces: readonly string[];
  /** When the client sends FIN after its last byte: at once, or after it has read. */
  readonly endsAtOnce: boolean;
}

const TOKENS = [
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 18446744073709551615\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
  'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n',
  'Host: other.test\r\n',
  'PROXY TCP4 198.51.100.22 203.0.113.7 35646 80\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '\r\n\r\n',
  '\r\n ',
  '%00',
  '%ff',
  '/../',
  '"\\ud800"',
  '{"a":',
  '\x00',
  '\x7f',
  '\xff\xfe',
] as const;
const BYTES = ['\x00', '\t', '\n', '\r', ' ', ':', ',', ';', '%', '&', '=', '?', '/', '"', '\\', '{', '\x7f', '\xff'];

type Bend = (text: string, random: Random) => string;

const cutAt = (text: string, at: number, remove: number, insert: string): string =>
  text.slice(0, at) + insert + text.slice(at + remove);

const bends: readonly Bend[] = [
  (text, random) => cutAt(text, random.int(text.length), 1, String.fromCharCode(random.int(256))),
  (text, random) => {
    const at = random.int(text.length);
    return cutAt(text, at, 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << random.int(8))));
  },
  (text, random) => cutAt(text, random.int(text.length + 1), 0, random.pick(BYTES)),
  (text, random) => cutAt(text, random.int(text.length + 1), 0, random.pick(TOKENS)),
  (text, random) => cutAt(text, random.int(text.length), 1 + random.int(30), ''),
  (text, random) => text.slice(0, random.int(text.length + 1)),
  (text, random) => text.slice(random.int(text.length)),
  // A part is repeated: a header ninety times, a body beyond its length.
  (text, random) => {
    const at = random.int(text.length);
    const stretch = text.slice(at, at + 1 + random.int(60));
    return cutAt(text, at, 0, stretch.repeat(1 + random.int(random.oneIn(10) ? 400 : 5)));
  },
  // A line is repeated, removed or moved.
  (text, random) => {
    const lines = text.split('\r\n');
    const [line = ''] = lines.splice(random.int(lines.length), 1);
    for (let copies = random.int(3); copies > 0; copies--) lines.splice(random.int(lines.length + 1), 0, line);
    return lines.join('\r\n');
  },
  (text, random) => text.replace(/\d+/, () => random.pick(['0', '-1', '+5', '0x5', '5, 5', '9'.repeat(20), '1e3', ''])),
  (text, random) =>
    random.oneIn(2) ? text.replaceAll('\r\n', '\n') : text.replace('\r\n', random.pick(['\n', '\r', ''])),
  (text, random) => text.replace(': ', random.pick([':', ' : ', ':\t', ': \x0b', '\x00: '])),
  (text, random) =>
    text.replace(' HTTP/1.1', random.pick(['', ' HTTP/1.0', ' HTTP/2.0', ' http/1.1', '  HTTP/1.1', ' HTTP/1.1 '])),
];

/** Changes one part of a request, so that the parts before it pass and later checks are reached. */
function bendPart(request: string, random: Random): string {
  const bend = random.pick(bends);
  const firstEnd = request.indexOf('\r\n');
  const headEnd = request.indexOf('\r\n\r\n') + 4;
  if (firstEnd === -1 || headEnd === 3) return bend(request, random);
  const part = random.int(4);
  if (part === 0) return bend(request, random);
  if (part === 1) return request.slice(0, firstEnd) + bend(request.slice(firstEnd), random);
  if (part === 2) {
    const [method = '', target = ''] = request.slice(0, firstEnd).split(' ');
    return `${method} ${bend(target, random)} HTTP/1.1${request.slice(firstEnd)}`;
  }
  // The body, with its new Content-Length.
  const body = bend(request.slice(headEnd), random);
  return request.slice(0, headEnd).replace(/(Content-Length: )\d+/, `$1${body.length}`) + body;
}

/** Changes some of the given requests and joins them. */
export function bendTraffic(requests: readonly string[], random: Random): BentTraffic {
  let text = '';
  for (let count = 1 + random.int(4); count > 0; count--) {
    let request = random.pick(requests);
    // One in five is unchanged: it must be served, or the connection closed.
    if (!random.oneIn(5)) for (let turns = 1 + random.int(3); turns > 0; turns--) request = bendPart(request, random);
    text += request;
  }
  const pieces: string[] = [];
  while (text !== '' && pieces.length < 12 && !random.oneIn(3)) {
    const size = 1 + random.int(text.length);
    pieces.push(text.slice(0, size));
    text = text.slice(size);
  }
  if (text !== '') pieces.push(text);
  return { pieces, endsAtOnce: random.oneIn(6) };
}
