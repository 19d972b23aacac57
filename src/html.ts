/** Escaped HTML: html`` escapes every value that is not markup itself. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Markup | string | number | readonly Markup[] | null | false;

export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(strings.reduce((text, part, i) => text + render(values[i - 1]!) + part));
}

function render(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (value === null || value === false) return '';
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeMarkup(String(value));
}

/** A text within HTML or XML, as content or in an attribute with quotation marks. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
