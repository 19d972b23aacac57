/** The files that pages load. They are read once; no request reads a file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { PAGE_TEXTS_DIRECTORY } from '../config/page-texts.js';
import { type ImageType, MAX_IMAGE_BYTES, readImage } from '../config/parse-image.js';
import type { Config } from '../config/settings.js';
import { renderBrand } from './brand.js';
import type { Asset, Pages } from './contract.js';
import { readOwnStyle } from './own-style.js';
import { openTexts } from './texts.js';

/** What `npm run build` has made of src/web. */
const DIRECTORY = fileURLToPath(new URL('../../web/', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

const extensions: Readonly<Record<ImageType, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
};

/**
 * Makes the parts of the pages.
 * @returns null where they are off
 * @throws Error when the build has left nothing, the logo or the own style sheet cannot be read or is too large, the sheet loads
 * something, or AUTH_PAGES_TEXTS has an unknown key
 */
export function openPages(config: Config): Pages | null {
  if (!config.pagesEnabled) return null;
  const manifest = JSON.parse(readFileSync(join(DIRECTORY, 'manifest.json'), 'utf8')) as Record<string, string>;
  const assets = new Map<string, Asset>();
  const add = (name: string, bytes: Uint8Array, brotli: Uint8Array | null): string => {
    assets.set(name, { type: types[extname(name)]!, bytes, brotli });
    return name;
  };
  const addBuilt = (name: string): string => {
    const path = join(DIRECTORY, name);
    return add(name, readFileSync(path), readFileSync(`${path}.br`));
  };
  const addOwn = (stem: string, extension: string, bytes: Uint8Array): string => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    return add(`${stem}-${hash}${extension}`, bytes, extension === '.css' ? brotliCompressSync(bytes) : null);
  };
  const logo = readLogo(config);
  return {
    name: config.pagesName || new URL(config.siteUrl).host,
    assets,
    style: addBuilt(manifest['hosted.css']!),
    script: addBuilt(manifest['hosted.js']!),
    brand: addOwn('brand', '.css', Buffer.from(renderBrand(config))),
    ownStyle: config.oauthServerPageCss === '' ? null : addOwn('own', '.css', readOwnStyle(config.oauthServerPageCss)),
    logo: logo === null ? null : addOwn('logo', logo.extension, logo.bytes),
    chooseLanguage: openTexts(PAGE_TEXTS_DIRECTORY, config.pagesTexts),
  };
}

function readLogo({ pagesLogoFile: path, pagesLogo }: Config): { extension: string; bytes: Buffer } | null {
  if (path === '' && pagesLogo === '') return null;
  if (path === '') {
    const { type, bytes } = readImage(pagesLogo);
    return { extension: extensions[type], bytes };
  }
  const bytes = readFileSync(path);
  if (bytes.length > MAX_IMAGE_BYTES) throw new Error(`AUTH_PAGES_LOGO_FILE is larger than ${MAX_IMAGE_BYTES} bytes`);
  return { extension: extname(path), bytes };
}
