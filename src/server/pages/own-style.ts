/** The style sheet of an operator: AUTH_OAUTH_SERVER_PAGE_CSS. */
import { readFileSync } from 'node:fs';

/** One write sends at most this much at once. */
const MAX_BYTES = 65_536;

/** What the policy of the pages lets a style sheet load: pictures that it contains. The rest is a part of the page. */
const ALLOWED_URL = /^(?:data:image\/|#)/i;

/**
 * Reads the style sheet that all pages load last.
 * @param path of a file
 * @throws Error when it cannot be read, is too large, is no UTF-8, or loads something that browsers would refuse
 */
export function readOwnStyle(path: string): Buffer {
  const bytes = readBytes(path);
  if (bytes.length > MAX_BYTES) throw fault(`is larger than ${MAX_BYTES} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('is not UTF-8');
  }
  const loaded = findLoaded(text);
  if (loaded !== null) {
    throw fault(`loads ${loaded.slice(0, 100)}, which browsers refuse: the pages allow only url("data:image/…")`);
  }
  return bytes;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fault(`cannot be read: ${(error as Error).message}`);
  }
}

const fault = (problem: string): Error => new Error(`AUTH_OAUTH_SERVER_PAGE_CSS ${problem}`);

/**
 * The policy keeps browsers from everything else, however it is written; this is so that operators hear of it.
 * @returns what a style sheet loads and may not, or null
 */
export function findLoaded(css: string): string | null {
  const text = css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
  const rule = /@import[^;]*/i.exec(text)?.[0];
  if (rule !== undefined) return rule.trim();
  const urls = [...text.matchAll(/\b(?:url|src)\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*))/gi)];
  const wrong = urls.map(([, double, single, bare]) => double ?? single ?? bare ?? '').find(isRefused);
  return wrong?.trim() ?? null;
}

const isRefused = (address: string): boolean => !ALLOWED_URL.test(address.trim());
