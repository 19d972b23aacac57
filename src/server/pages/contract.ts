/** What the pages consist of, made once for each configuration. */
import type english from '../../web/texts/en.json';

/** A file that browsers load. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Compressed by brotli; null: it is sent as it is. */
  readonly brotli: Uint8Array | null;
}

/** The words of a page in one language. @param values of the placeholders of the text */
export type Words = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** Every language has the keys of English: `npm run build` checks it. */
export type TextKey = keyof typeof english;

export interface Language {
  /** BCP 47, such as pt. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
}

export interface Pages {
  /** Name of the service. */
  readonly name: string;
  /** By their names, which have a hash. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Names among them. */
  readonly style: string;
  readonly brand: string;
  /** Of the operator; loaded after the others. */
  readonly ownStyle: string | null;
  readonly script: string;
  readonly logo: string | null;
  /** @param wanted lists of languages as in Accept-Language, the most important first */
  chooseLanguage(wanted: readonly string[]): Language;
}
