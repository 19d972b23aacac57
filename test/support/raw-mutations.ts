/** Bytes that are almost requests: valid ones of every kind, bent by dice (SEC-24). */
import type { Dice } from './long-form.js';

/** What goes over one connection: pieces, each sent by itself. All latin1. */
export interface BentTraffic {
  readonly pieces: readonly string[];
  /** How the client leaves when it has said all: with a FIN at once, or after it has listened. */
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

type Bend = (text: string, dice: Dice) => string;

const cutAt = (text: string, at: number, remove: number, insert: string): string =>
  text.slice(0, at) + insert + text.slice(at + remove);

const bends: readonly Bend[] = [
  (text, dice) => cutAt(text, dice.int(text.length), 1, String.fromCharCode(dice.int(256))),
  (text, dice) => {
    const at = dice.int(text.length);
    return cutAt(text, at, 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << dice.int(8))));
  },
  (text, dice) => cutAt(text, dice.int(text.length + 1), 0, dice.pick(BYTES)),
  (text, dice) => cutAt(text, dice.int(text.length + 1), 0, dice.pick(TOKENS)),
  (text, dice) => cutAt(text, dice.int(text.length), 1 + dice.int(30), ''),
  (text, dice) => text.slice(0, dice.int(text.length + 1)),
  (text, dice) => text.slice(dice.int(text.length)),
  // A stretch again and again: a header ninety times, a body over its length.
  (text, dice) => {
    const at = dice.int(text.length);
    const stretch = text.slice(at, at + 1 + dice.int(60));
    return cutAt(text, at, 0, stretch.repeat(1 + dice.int(dice.oneIn(10) ? 400 : 5)));
  },
  // A line twice, gone, or at another place.
  (text, dice) => {
    const lines = text.split('\r\n');
    const [line = ''] = lines.splice(dice.int(lines.length), 1);
    for (let copies = dice.int(3); copies > 0; copies--) lines.splice(dice.int(lines.length + 1), 0, line);
    return lines.join('\r\n');
  },
  (text, dice) => text.replace(/\d+/, () => dice.pick(['0', '-1', '+5', '0x5', '5, 5', '9'.repeat(20), '1e3', ''])),
  (text, dice) => (dice.oneIn(2) ? text.replaceAll('\r\n', '\n') : text.replace('\r\n', dice.pick(['\n', '\r', '']))),
  (text, dice) => text.replace(': ', dice.pick([':', ' : ', ':\t', ': \x0b', '\x00: '])),
  (text, dice) =>
    text.replace(' HTTP/1.1', dice.pick(['', ' HTTP/1.0', ' HTTP/2.0', ' http/1.1', '  HTTP/1.1', ' HTTP/1.1 '])),
];

/** Bends one part of a request, so that what is before it is read: the rooms behind the first one are asked too. */
function bendPart(request: string, dice: Dice): string {
  const bend = dice.pick(bends);
  const firstEnd = request.indexOf('\r\n');
  const headEnd = request.indexOf('\r\n\r\n') + 4;
  if (firstEnd === -1 || headEnd === 3) return bend(request, dice);
  const part = dice.int(4);
  if (part === 0) return bend(request, dice);
  if (part === 1) return request.slice(0, firstEnd) + bend(request.slice(firstEnd), dice);
  if (part === 2) {
    const [method = '', target = ''] = request.slice(0, firstEnd).split(' ');
    return `${method} ${bend(target, dice)} HTTP/1.1${request.slice(firstEnd)}`;
  }
  // The body, announced with its new length.
  const body = bend(request.slice(headEnd), dice);
  return request.slice(0, headEnd).replace(/(Content-Length: )\d+/, `$1${body.length}`) + body;
}

/** Bends some of the given requests and joins them. */
export function bendTraffic(requests: readonly string[], dice: Dice): BentTraffic {
  let text = '';
  for (let count = 1 + dice.int(4); count > 0; count--) {
    let request = dice.pick(requests);
    // One in five goes as it is: the connection must be good for it, or closed.
    if (!dice.oneIn(5)) for (let turns = 1 + dice.int(3); turns > 0; turns--) request = bendPart(request, dice);
    text += request;
  }
  const pieces: string[] = [];
  while (text !== '' && pieces.length < 12 && !dice.oneIn(3)) {
    const size = 1 + dice.int(text.length);
    pieces.push(text.slice(0, size));
    text = text.slice(size);
  }
  if (text !== '') pieces.push(text);
  return { pieces, endsAtOnce: dice.oneIn(6) };
}
