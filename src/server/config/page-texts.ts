/** Which texts the pages have, so that own words for others are a fault of the settings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build` has made of src/web/texts: a file for each language. */
export const PAGE_TEXTS_DIRECTORY = fileURLToPath(new URL('../../web/texts/', import.meta.url));

/** By language, then by key. */
export type PageTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @param directory with a file for each language */
export const readPageTexts = (directory: string): PageTexts =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [
      name.replace(/\.json$/, ''),
      JSON.parse(readFileSync(join(directory, name), 'utf8')),
    ]),
  );

/** @returns what is wrong with own words, to be read after the name of their setting; null: nothing */
export function findUnknownText(own: PageTexts, given: PageTexts): string | null {
  for (const [tag, texts] of Object.entries(own)) {
    if (!Object.hasOwn(given, tag)) return `must name languages of the pages: there are no texts in ${quote(tag)}`;
    const wrong = Object.keys(texts).find((key) => !Object.hasOwn(given[tag]!, key));
    if (wrong !== undefined) return `must name texts of the pages: no page has the text ${quote(wrong)}`;
  }
  return null;
}

const MAX_QUOTED = 60;
const quote = (name: string): string => JSON.stringify(name.slice(0, MAX_QUOTED));
