/** The texts of the pages (src/web/texts), which AUTH_PAGES_TEXTS may replace key by key. */
import { findUnknownText, type PageTexts, readPageTexts } from '../config/page-texts.js';
import type { Language, Pages } from './contract.js';

const DEFAULT_LANGUAGE = 'en';
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/** Between them a number or an address keeps its own direction (Unicode Standard Annex 9, 2.4.1). */
const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069'];

type Texts = Readonly<Record<string, string>>;

/**
 * Reads the texts.
 * @param directory with a file for each language
 * @param replaced AUTH_PAGES_TEXTS: JSON, or empty
 * @throws Error for a language or key that does not exist
 */
export function openTexts(directory: string, replaced: string): Pages['chooseLanguage'] {
  const given = readPageTexts(directory);
  const own: PageTexts = replaced === '' ? {} : JSON.parse(replaced);
  const wrong = findUnknownText(own, given);
  if (wrong !== null) throw new Error(`AUTH_PAGES_TEXTS ${wrong}`);
  const languages = new Map(
    Object.entries(given).map(([tag, texts]) => [tag, makeLanguage(tag, { ...texts, ...own[tag] })]),
  );
  return (wanted) => {
    for (const tag of wanted.flatMap(readLanguageList)) {
      const found = languages.get(tag) ?? languages.get(tag.split('-', 1)[0]!);
      if (found !== undefined) return found;
    }
    return languages.get(DEFAULT_LANGUAGE)!;
  };
}

function makeLanguage(tag: string, texts: Texts): Language {
  const direction = RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
  return {
    tag,
    direction,
    words: (key, values = {}) => {
      const text = texts[key];
      if (text === undefined) throw new Error(`The pages have no text ${key}`);
      return text.replace(/\{([a-z]+)\}/g, (whole, name: string) => {
        const value = values[name];
        if (value === undefined) return whole;
        return direction === 'rtl' ? `${ISOLATE}${value}${END_OF_ISOLATE}` : String(value);
      });
    },
  };
}

/** Longest list that is read. */
const MAX_LIST_CHARACTERS = 200;

/**
 * The languages of Accept-Language (RFC 9110 12.5.4) or ui_locales (OpenID Connect Core 3.1.2.1), the preferred first.
 * @returns lower case
 */
export function readLanguageList(text: string): string[] {
  return text
    .slice(0, MAX_LIST_CHARACTERS)
    .toLowerCase()
    .split(/[\s,]+/)
    .map((item) => {
      const [tag = '', quality] = item.split(';q=');
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 };
    })
    .filter(({ tag, quality }) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
