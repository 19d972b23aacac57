/** An image that is the value of a setting. Its type is that of its content, whatever it is called. */
import { createHash } from 'node:crypto';
import type { Parsed } from './parse.js';
import { findSvgFault } from './svg-faults.js';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';

export interface Image {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

export const MAX_IMAGE_BYTES = 102_400;
/** A few bytes can say that an image has more points than a browser has memory. */
const MAX_SIDE = 2048;

const DATA_URL = /^data:[a-z0-9.+/-]*;base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;

const fault = (fault: string): { fault: string } => ({ fault });

/** A data URL in base64. The type that it names does not count. */
export function parseImage(text: string): Parsed<string> {
  const encoded = DATA_URL.exec(text.trim())?.[1];
  if (!encoded) return fault('must be an image as a data URL in base64');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_IMAGE_BYTES) return fault(`must be an image of at most ${MAX_IMAGE_BYTES} bytes`);
  const type = findImageType(bytes);
  if (type === null) return fault('must be a PNG, JPEG, WebP or SVG image');
  const problem = type === 'image/svg+xml' ? findSvgFault(bytes.toString('utf8')) : findSizeFault(bytes, type);
  return problem === null ? { value: `data:${type};base64,${encoded}` } : fault(problem);
}

/** @param value that {@link parseImage} has made */
export function readImage(value: string): Image {
  const [, type, encoded] = /^data:([^;]*);base64,(.*)$/.exec(value)!;
  return { type: type as ImageType, bytes: Buffer.from(encoded!, 'base64') };
}

/** In place of the image, which would fill the page. @returns as `image/png, 5120 bytes, sha256 1f3a…` */
export function describeImage(value: string): string {
  const { type, bytes } = readImage(value);
  return `${type}, ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

function findImageType(bytes: Buffer): ImageType | null {
  const head = bytes.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^RIFF[\s\S]{4}WEBPVP8[ LX]$/.test(head)) return 'image/webp';
  return isSvg(bytes) ? 'image/svg+xml' : null;
}

function isSvg(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const start = text.replace(/^\s*(?:<\?xml[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>|\s)*/i, '');
    return /^<svg[\s>]/.test(start);
  } catch {
    return false;
  }
}

function findSizeFault(bytes: Buffer, type: Exclude<ImageType, 'image/svg+xml'>): string | null {
  const sides = readSides[type](bytes);
  if (sides === null) return 'must be a whole image: its size cannot be read';
  const isGood = sides.every((side) => side >= 1 && side <= MAX_SIDE);
  return isGood ? null : `must be an image of at most ${MAX_SIDE} × ${MAX_SIDE} pixels, not ${sides.join(' × ')}`;
}

type Sides = readonly [width: number, height: number];

const readSides: Readonly<Record<Exclude<ImageType, 'image/svg+xml'>, (bytes: Buffer) => Sides | null>> = {
  // The first chunk of a PNG is its header (PNG 3rd edition, 5.6).
  'image/png': (bytes) =>
    bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR'
      ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      : null,
  'image/jpeg': readJpegSides,
  'image/webp': readWebpSides,
};

/** Segments follow each other up to the frame header, SOF0 to SOF15 without DHT, JPG and DAC (ITU T.81, B.1.1.3). */
function readJpegSides(bytes: Buffer): Sides | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** RFC 9649, 2.5 to 2.7. */
function readWebpSides(bytes: Buffer): Sides | null {
  if (bytes.length < 30) return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    default:
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  }
}
