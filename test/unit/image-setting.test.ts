/** AUTH_PAGES_LOGO: an image as the value of a setting. */
import { deflateSync } from 'node:zlib';
import { describeImage, parseImage, readImage } from '../../src/server/config/parse-image.js';
import { makePng } from '../support/images.js';
import { t } from '../support/tap.js';

const url = (bytes: Buffer | string, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes as string).toString('base64')}`;
const svg = (inner: string, attributes = '') => `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>`;
const webp = (kind: string, rest: readonly number[]) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), Buffer.from(rest), Buffer.alloc(16)]);
/** SOI, an APP0 segment, and the frame header. */
const jpeg = (width: number, height: number) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8],
    ...[height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0],
  ]);

t.test('the type is that of the content', async (t) => {
  const good: [bytes: Buffer | string, type: string][] = [
    [makePng(3, 2), 'image/png'],
    [jpeg(640, 480), 'image/jpeg'],
    [webp('VP8X', [0, 0, 0, 0, 99, 0, 0, 49, 0, 0]), 'image/webp'],
    [webp('VP8L', [0x2f, 99, 0, 0, 0]), 'image/webp'],
    [webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 100, 0, 50, 0]), 'image/webp'],
    [svg('<path d="M0 0h9"/>'), 'image/svg+xml'],
    [
      `\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${svg('')}`,
      'image/svg+xml',
    ],
    [svg('<defs><linearGradient id="a"/></defs><use href="#a"/><rect style="fill:url(#a)"/>'), 'image/svg+xml'],
    [svg(`<image href="${url(makePng(1, 1))}"/>`), 'image/svg+xml'],
  ];
  for (const [bytes, type] of good) {
    // The type that is named does not count.
    const parsed = parseImage(url(bytes, 'text/html')) as { value: string };
    t.equal(readImage(parsed.value).type, type);
    t.ok(readImage(parsed.value).bytes.equals(Buffer.from(bytes as string)));
    t.match(describeImage(parsed.value), new RegExp(`^${type.replace('+', '\\+')}, \\d+ bytes, sha256 [0-9a-f]{16}$`));
  }
});

t.test('what is no image, too large, or claims to be huge is refused', async (t) => {
  const bomb = makePng(1, 1);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  const faults: [text: string, fault: RegExp][] = [
    ['/etc/logo.png', /data URL/],
    ['data:image/png,abc', /data URL/],
    ['data:image/png;base64,', /data URL/],
    ['data:image/png;base64,@@@@', /data URL/],
    [url('<html><script>1</script>'), /PNG, JPEG, WebP or SVG/],
    [url('GIF89a\x01\0\x01\0'), /PNG, JPEG, WebP or SVG/],
    [url(deflateSync('x'), 'image/png'), /PNG, JPEG, WebP or SVG/],
    [url(Buffer.concat([makePng(1, 1), Buffer.alloc(102_400)])), /at most 102400 bytes/],
    [url(bomb), /2048 × 2048 pixels, not 60000 × 60000/],
    [url(makePng(1, 1).subarray(0, 12)), /size cannot be read/],
    [url(jpeg(4000, 10)), /not 4000 × 10/],
    [url(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff])), /size cannot be read/],
    [url(webp('VP8X', [0, 0, 0, 0, 255, 255, 0, 0, 0, 0])), /not 65536 × 1/],
    [url(webp('VP8X', []).subarray(0, 20)), /size cannot be read/],
  ];
  for (const [text, fault] of faults) t.match((parseImage(text) as { fault: string }).fault, fault, text.slice(0, 50));
  const exact = Buffer.concat([makePng(1, 1), Buffer.alloc(102_400 - makePng(1, 1).length)]);
  t.ok('value' in parseImage(url(exact)), '100 kB are accepted');
});

t.test('an SVG that would do more than draw is refused', async (t) => {
  for (const bad of [
    svg('<script>alert(1)</script>'),
    svg('<svg:script xmlns:svg="http://www.w3.org/2000/svg">1</svg:script>'),
    svg('', ' onload="alert(1)"'),
    svg('<path/onclick=alert(1) />'),
    svg('<a href="javascript:alert(1)"><path/></a>'),
    svg('<a xlink:href="&#106;avascript:alert(1)"/>'),
    svg('<a href="https://example.com/"/>'),
    svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
    svg('<use href="https://example.com/x.svg#a"/>'),
    svg('<image href="data:image/svg+xml;base64,AA=="/>'),
    svg('<style>@import "https://example.com/x.css";</style>'),
    svg('<rect style="fill:url( \'https://example.com/x\' )"/>'),
    svg('<set attributeName="xlink:href" to="javascript:alert(1)"/>'),
    svg('<set attributeName="hre&#102;" to="javascript:alert(1)"/>'),
    svg('<style>@\\69mport "https://example.com/x.css"</style>'),
    svg('<style>g{background:image-set("https://example.com/x" 1x)}</style>'),
    svg('<meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0;url=https://example.com/"/>'),
    `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`,
    svg('<g xml:base="https://example.com/"/>'),
    `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg('&a;')}`,
    `<?xml-stylesheet href="x.css"?>${svg('')}`,
  ]) {
    t.match(parseImage(url(bad, 'image/svg+xml')), { fault: /must be/ }, bad);
  }
  t.match(parseImage(url(Buffer.from(svg(''), 'utf16le'), 'image/svg+xml')), { fault: /PNG, JPEG, WebP or SVG/ });
});
