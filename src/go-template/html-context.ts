/** Tracks the HTML context of the next value, and escapes the value for it. */
import { TemplateError } from './error.js';
import { encodeQuery, escapeText, filterCss, hasSafeScheme, isUrlAttribute, normaliseUrl } from './escape.js';

/** tag: between `<` and `>`, outside of attribute values; double, single and unquoted: in an attribute value. */
type State = 'text' | 'tag' | 'double' | 'single' | 'unquoted' | 'comment' | 'raw';

const RAW_ELEMENTS: ReadonlySet<string> = new Set('script style title textarea xmp iframe noembed'.split(' '));

/** Replaces a value that is not allowed in its context. */
const PLACEHOLDER = '#';

/** A state machine over the literal text of a template. Escaped values cannot change its state. */
export class HtmlContext {
  #state: State = 'text';
  /** The open element of {@link RAW_ELEMENTS}, whose content is not markup. */
  #rawElement = '';
  #element = '';
  #attribute = '';
  /** The literal text of the attribute value so far. */
  #literal = '';
  /** After an equals sign, before the value. */
  #isValueNext = false;
  /** Text whose meaning depends on the next piece. */
  #carry = '';

  /** @param text literal text of the template */
  follow(text: string): void {
    const source = this.#carry + text;
    this.#carry = '';
    let at = 0;
    while (at < source.length) at = this.#step(source, at);
  }

  /**
   * @param isEncoded the value comes from `urlquery`, so a query does not encode it again
   * @returns the value escaped for its context
   * @throws TemplateError in a script, and inside a tag outside of an attribute value
   */
  escape(text: string, isEncoded = false): string {
    this.#flushCarry();
    const value = text.toWellFormed().replaceAll('\0', '\ufffd');
    switch (this.#state) {
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
        this.#state = 'unquoted';
        this.#literal = '';
        this.#isValueNext = false;
        // An empty value would make the next attribute the value of this one.
        return this.#escapeAttribute(value, isEncoded) || PLACEHOLDER;
      default:
        return this.#escapeAttribute(value, isEncoded);
    }
  }

  #escapeAttribute(value: string, isEncoded: boolean): string {
    let safe = value;
    if (/^on/.test(this.#attribute)) throw new TemplateError('A value cannot stand inside a script');
    if (this.#attribute === 'style') safe = filterCss(value);
    else if (isUrlAttribute(this.#attribute)) safe = this.#filterUrl(value, isEncoded);
    const escaped = escapeText(safe);
    return this.#state === 'unquoted'
      ? escaped.replace(/[\s=`\u0000-\u001f]/g, (c) => `&#${c.charCodeAt(0)};`)
      : escaped;
  }

  #filterUrl(value: string, isEncoded: boolean): string {
    if (/[?#]/.test(this.#literal)) return isEncoded ? value : encodeQuery(value);
    if (this.#literal.trim() !== '') return normaliseUrl(value);
    return hasSafeScheme(value) ? normaliseUrl(value) : PLACEHOLDER;
  }

  /** A value follows the carried text, so that its meaning is known. */
  #flushCarry(): void {
    const carry = this.#carry;
    this.#carry = '';
    if (carry !== '' && this.#state === 'text') throw new TemplateError('A value cannot be part of a tag name');
  }

  /** @returns the next position; greater than `at` */
  #step(source: string, at: number): number {
    switch (this.#state) {
      case 'text':
        return this.#stepText(source, at);
      case 'tag':
        return this.#stepTag(source, at);
      case 'comment':
        return this.#stepComment(source, at);
      case 'raw':
        return this.#stepRaw(source, at);
      case 'unquoted': {
        const end = indexOfPattern(source, /[\s>]/g, at);
        this.#literal += source.slice(at, end);
        if (end < source.length) this.#state = 'tag';
        return end === at ? this.#stepTag(source, at) : end;
      }
      default: {
        const quote = this.#state === 'double' ? '"' : "'";
        const end = source.indexOf(quote, at);
        this.#literal += source.slice(at, end < 0 ? source.length : end);
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
      this.#state = 'comment';
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
    this.#state = 'tag';
    this.#element = element;
    this.#attribute = '';
    this.#isValueNext = false;
  }

  #stepTag(source: string, at: number): number {
    const character = source[at]!;
    if (character === '>') {
      const isRaw = RAW_ELEMENTS.has(this.#element);
      this.#state = isRaw ? 'raw' : 'text';
      this.#rawElement = isRaw ? this.#element : '';
      return at + 1;
    }
    if (/\s/.test(character)) return at + 1;
    if (this.#isValueNext) {
      this.#literal = '';
      this.#isValueNext = false;
      if (character === '"' || character === "'") {
        this.#state = character === '"' ? 'double' : 'single';
        return at + 1;
      }
      this.#state = 'unquoted';
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
    this.#state = 'tag';
    this.#attribute = '';
    this.#literal = '';
  }

  #stepComment(source: string, at: number): number {
    const mark = '-->';
    const end = source.indexOf(mark, at);
    if (end >= 0) {
      this.#state = 'text';
      return end + mark.length;
    }
    this.#carry = longestOverlap(source.slice(-(mark.length - 1)), mark);
    return source.length;
  }

  #stepRaw(source: string, at: number): number {
    const mark = `</${this.#rawElement}`;
    const end = source.toLowerCase().indexOf(mark, at);
    if (end < 0) {
      this.#carry = longestOverlap(source.slice(Math.max(at, source.length - mark.length + 1)).toLowerCase(), mark);
      return source.length;
    }
    this.#enterTag('');
    return end + mark.length;
  }
}

/** @returns the longest end of `text` that `mark` begins with */
function longestOverlap(text: string, mark: string): string {
  for (let at = 0; at < text.length; at++) if (mark.startsWith(text.slice(at))) return text.slice(at);
  return '';
}

function indexOfPattern(source: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.index ?? source.length;
}
