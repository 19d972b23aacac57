/** Knows where in an HTML page the next value stands, and escapes it for there. */
import { TemplateError } from './template-error.js';
import { encodeQuery, escapeText, filterCss, hasSafeScheme, isUrlAttribute, normaliseUrl } from './template-escape.js';

type Place =
  | 'text'
  /** Between `<` and `>`, outside of attribute values. */
  | 'tag'
  | 'double'
  | 'single'
  | 'unquoted'
  | 'comment'
  | 'raw';

/** What stands for a value that must not be where it is. */
const HARMLESS = '#';

/**
 * Follows the literal text of a template. Values cannot change where we are, since they are escaped, so that following
 * the literal text is enough.
 */
export class HtmlContext {
  #place: Place = 'text';
  /** Element whose content is not markup: script, style, title, textarea. */
  #rawElement = '';
  #element = '';
  #attribute = '';
  /** Of an attribute's value: what has been written of it. */
  #valueSoFar = '';
  /** An equals sign has been read, and no value yet. */
  #isValueNext = false;
  /** Text whose meaning depends on what follows it. */
  #carry = '';

  /** @param text of the template itself, printed as it is */
  follow(text: string): void {
    const source = this.#carry + text;
    this.#carry = '';
    let at = 0;
    while (at < source.length) at = this.#step(source, at);
  }

  /**
   * @returns the value escaped for where it stands
   * @throws TemplateError where no value can be made harmless: in a script, or inside a tag but outside of quotes
   */
  escape(text: string): string {
    this.#settle();
    const value = text.toWellFormed().replaceAll('\0', '\ufffd');
    switch (this.#place) {
      case 'text':
      case 'comment':
        return escapeText(value);
      case 'raw':
        if (this.#rawElement === 'title' || this.#rawElement === 'textarea') return escapeText(value);
        if (this.#rawElement === 'style') return filterCss(value);
        throw new TemplateError('A value cannot stand inside a script');
      case 'tag':
        if (this.#attribute === '' || !this.#isValueNext) {
          throw new TemplateError('A value cannot stand inside a tag, outside of an attribute value');
        }
        this.#place = 'unquoted';
        this.#valueSoFar = '';
        this.#isValueNext = false;
        // Nothing at all would make the next attribute this one's value.
        return this.#escapeAttribute(value) || HARMLESS;
      default:
        return this.#escapeAttribute(value);
    }
  }

  #escapeAttribute(value: string): string {
    let harmless = value;
    if (/^on/.test(this.#attribute)) throw new TemplateError('A value cannot stand inside a script');
    if (this.#attribute === 'style') harmless = filterCss(value);
    else if (isUrlAttribute(this.#attribute)) harmless = this.#filterUrl(value);
    // Enough to know that the value has begun; what was printed says nothing about query or fragment.
    this.#valueSoFar += harmless === '' ? '' : '.';
    const escaped = escapeText(harmless);
    return this.#place === 'unquoted'
      ? escaped.replace(/[\s=`\u0000-\u001f]/g, (c) => `&#${c.charCodeAt(0)};`)
      : escaped;
  }

  #filterUrl(value: string): string {
    if (/[?#]/.test(this.#valueSoFar)) return encodeQuery(value);
    if (this.#valueSoFar.trim() !== '') return normaliseUrl(value);
    return hasSafeScheme(value) ? normaliseUrl(value) : HARMLESS;
  }

  /** Text that was held back because more of it could have changed its meaning: a value follows, so it does not. */
  #settle(): void {
    const held = this.#carry;
    this.#carry = '';
    if (held !== '' && this.#place === 'text') throw new TemplateError('A value cannot be part of a tag name');
  }

  /** @returns where to go on; always past `at` */
  #step(source: string, at: number): number {
    switch (this.#place) {
      case 'text':
        return this.#stepText(source, at);
      case 'tag':
        return this.#stepTag(source, at);
      case 'comment':
        return this.#leaveAt(source, at, '-->', 3);
      case 'raw':
        return this.#stepRaw(source, at);
      case 'unquoted': {
        const end = indexOfPattern(source, /[\s>]/g, at);
        this.#valueSoFar += source.slice(at, end);
        if (end < source.length) this.#place = 'tag';
        return end === at ? this.#stepTag(source, at) : end;
      }
      default: {
        const quote = this.#place === 'double' ? '"' : "'";
        const end = source.indexOf(quote, at);
        this.#valueSoFar += source.slice(at, end < 0 ? source.length : end);
        if (end < 0) return source.length;
        this.#leaveValue();
        return end + 1;
      }
    }
  }

  #stepText(source: string, at: number): number {
    const open = source.indexOf('<', at);
    if (open < 0) return source.length;
    const rest = source.slice(open, open + 4);
    if ('<!--'.startsWith(rest) && rest.length < 4) {
      this.#carry = rest;
      return source.length;
    }
    if (rest === '<!--') {
      this.#place = 'comment';
      return open + 4;
    }
    const name = /<\/?([a-zA-Z][a-zA-Z0-9:-]*)/y;
    name.lastIndex = open;
    const found = name.exec(source);
    if (found === null) {
      if (source.startsWith('</', open) && open + 2 === source.length) {
        this.#carry = '</';
        return source.length;
      }
      // `<!doctype`, or a bare less-than sign.
      if (source[open + 1] !== '!' && source[open + 1] !== '?' && source[open + 1] !== '/') return open + 1;
      this.#enterTag('');
      return open + 2;
    }
    if (name.lastIndex === source.length) {
      this.#carry = source.slice(open);
      return source.length;
    }
    this.#enterTag(found[0].startsWith('</') ? '' : found[1]!.toLowerCase());
    return name.lastIndex;
  }

  #enterTag(element: string): void {
    this.#place = 'tag';
    this.#element = element;
    this.#attribute = '';
    this.#isValueNext = false;
  }

  #stepTag(source: string, at: number): number {
    const character = source[at]!;
    if (character === '>') {
      const isRaw = ['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed'].includes(this.#element);
      this.#place = isRaw ? 'raw' : 'text';
      this.#rawElement = isRaw ? this.#element : '';
      return at + 1;
    }
    if (/\s/.test(character)) return at + 1;
    if (this.#isValueNext) {
      this.#valueSoFar = '';
      this.#isValueNext = false;
      if (character === '"' || character === "'") {
        this.#place = character === '"' ? 'double' : 'single';
        return at + 1;
      }
      this.#place = 'unquoted';
      return at;
    }
    if (character === '=' && this.#attribute !== '') {
      this.#isValueNext = true;
      return at + 1;
    }
    const end = Math.max(indexOfPattern(source, /[\s>=/]/g, at), at + 1);
    this.#attribute = source.slice(at, end).toLowerCase();
    return end;
  }

  #leaveValue(): void {
    this.#place = 'tag';
    this.#attribute = '';
    this.#valueSoFar = '';
  }

  #leaveAt(source: string, at: number, mark: string, length: number): number {
    const end = source.indexOf(mark, at);
    if (end >= 0) {
      this.#place = 'text';
      return end + length;
    }
    const held = source.slice(-(length - 1));
    const begun = longestBeginning(held, mark);
    this.#carry = begun;
    return source.length;
  }

  #stepRaw(source: string, at: number): number {
    const mark = `</${this.#rawElement}`;
    const end = source.toLowerCase().indexOf(mark, at);
    if (end < 0) {
      this.#carry = longestBeginning(source.slice(Math.max(at, source.length - mark.length + 1)).toLowerCase(), mark);
      return source.length;
    }
    this.#enterTag('');
    return end + mark.length;
  }
}

/** The longest end of `text` that `mark` begins with. */
function longestBeginning(text: string, mark: string): string {
  for (let at = 0; at < text.length; at++) if (mark.startsWith(text.slice(at))) return text.slice(at);
  return '';
}

function indexOfPattern(source: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.index ?? source.length;
}
