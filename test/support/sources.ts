/** The TypeScript under src, for tests that check rules on it. */
import { readdirSync, readFileSync } from 'node:fs';

/** @returns paths below src with forward slashes, sorted, and their text */
export function readSources(): { path: string; text: string }[] {
  const source = new URL('../../../src/', import.meta.url);
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, source), 'utf8') }));
}
