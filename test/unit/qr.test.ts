import jsqr from 'jsqr';
import { drawQrCode, MAX_QR_BYTES } from '../../src/server/factors/qr.js';
import { buildTotpUri, createTotpSecret } from '../../src/server/factors/totp.js';
import { t } from '../support/tap.js';

const PIXELS = 4;

/** Draws the path as a browser would. The margin of four modules is part of the picture. */
function drawModules(svg: string): { size: number; isDark: (x: number, y: number) => boolean } {
  const size = Number(/viewBox='0 0 (\d+) \1'/.exec(svg)?.[1]);
  const dark = new Set<number>();
  let [x, y] = [0, 0];
  for (const [, command, numbers = ''] of /d='([^']+)'/.exec(svg)![1]!.matchAll(/([Mmh])([\d. ]+)/g)) {
    const [first = 0, second = 0] = numbers.split(' ').map(Number);
    if (command === 'M') [x, y] = [first, second];
    else if (command === 'm') [x, y] = [x + first, y + second];
    else for (const end = x + first; x < end; x++) dark.add(Math.floor(y) * size + x);
  }
  return { size, isDark: (x, y) => dark.has(y * size + x) };
}

/** Reads the picture as a camera would. */
function readSvg(svg: string): string | undefined {
  const { size, isDark } = drawModules(svg);
  const width = size * PIXELS;
  const picture = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let pixel = 0; pixel < width * width; pixel++) {
    const [x, y] = [Math.floor((pixel % width) / PIXELS), Math.floor(pixel / width / PIXELS)];
    if (isDark(x, y)) picture.fill(0, pixel * 4, pixel * 4 + 3);
  }
  return jsqr.default(picture, width, width)?.data;
}

const uriOf = (issuer: string, account: string) => buildTotpUri({ issuer, account, secret: createTotpSecret() });

t.test('what the picture says is what was written', async (t) => {
  const texts = [
    ...Array.from({ length: 20 }, () => uriOf('auth.example.com:3000', 'a@example.com')),
    uriOf('Ein Überblick & mehr', 'grüße@example.com'),
    'x',
    'y'.repeat(MAX_QR_BYTES),
  ];
  for (const text of texts) t.equal(readSvg(drawQrCode(text)), text);
});

t.test('upright: the format is written to the right along row 8, and downwards from its end', async (t) => {
  // Level M and mask 0 in ISO/IEC 18004, table C.1.
  const format = '101010000010010';
  const { isDark } = drawModules(drawQrCode('x'));
  const bits = (at: (i: number) => boolean) => [0, 1, 2, 3, 4, 5].map((i) => (at(i) ? '1' : '0')).join('');
  t.equal(
    bits((i) => isDark(4 + i, 4 + 8)),
    format.slice(0, 6),
  );
  t.equal(
    bits((i) => isDark(4 + 8, 4 + 5 - i)),
    format.slice(-6),
  );
});

t.test('one path, no escapes needed, under 25 kB', async (t) => {
  for (const length of [1, 165, 400, MAX_QR_BYTES]) {
    const svg = drawQrCode('z'.repeat(length));
    t.notMatch(svg, /[#%"\n]/);
    t.equal(svg.split('<path').length, 2);
    t.ok(Buffer.byteLength(svg) < 25_000, `${length} bytes make ${Buffer.byteLength(svg)}`);
  }
  t.throws(() => drawQrCode('z'.repeat(3000)), RangeError);
});
