/** The own words of a kind of mail as its setting has them: JSON, language → subject and body. */

export interface Content {
  readonly subject?: string;
  readonly body?: string;
}

export type Contents = Readonly<Record<string, Content>>;

/** For every language that has none of its own. */
export const DEFAULT = 'default';

export function readContents(text: string | null): Contents {
  try {
    return JSON.parse(text ?? '{}') as Contents;
  } catch {
    // Typed by hand elsewhere; the check of the draft says what is wrong.
    return {};
  }
}

/** @returns null: nothing is left */
export function writeContents(contents: Contents): string | null {
  const entries = Object.entries(contents);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

/** Empty parts are those of the built-in mail. */
export function putContent(contents: Contents, language: string, { subject, body }: Content): Contents {
  const content = { ...(subject?.trim() && { subject }), ...(body?.trim() && { body }) };
  const { [language]: _, ...rest } = contents;
  return Object.keys(content).length === 0 ? rest : { ...contents, [language]: content };
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

export function sayLanguage(tag: string): string {
  if (tag === DEFAULT) return 'Every language';
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
