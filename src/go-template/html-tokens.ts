/** A state machine over the literal text of HTML, as far as it decides what a value is part of. */
import { attributeKind } from './attributes.js';
import {
  indexOfPattern,
  type Literal,
  longestOverlap,
  openName,
  RAW_ELEMENTS,
  RAW_KINDS,
  SCRIPT_TYPE,
  tagName,
  type ValuePlace,
} from './html-rules.js';

/** tag: between `<` and `>`, outside of attribute values; double, single and unquoted: in an attribute value. */
type State = 'text' | 'tag' | 'double' | 'single' | 'unquoted' | 'comment' | 'raw';

type Report = (literal: Literal) => void;

export class HtmlTokens {
  #state: State = 'text';
  /** The open element of {@link RAW_ELEMENTS}, whose content is not markup. */
  #rawElement = '';
  #element = '';
  #attribute = '';
  /** The literal text ends with the attribute's name, or a value was a part of it. */
  #isNameOpen: 'text' | 'value' | false = false;
  /** Of the attribute `type` of a script: its literal text so far; null: a value is a part of it, or there is none. */
  #type: string | null = null;
  /** After an equals sign, before the value. */
  #isValueNext = false;
  /** Text whose meaning depends on the next piece. */
  #carry = '';
  #report: Report = () => undefined;

  clone(): HtmlTokens {
    const copy = new HtmlTokens();
    copy.#state = this.#state;
    copy.#rawElement = this.#rawElement;
    copy.#element = this.#element;
    copy.#attribute = this.#attribute;
    copy.#isNameOpen = this.#isNameOpen;
    copy.#type = this.#type;
    copy.#isValueNext = this.#isValueNext;
    copy.#carry = this.#carry;
    return copy;
  }

  get key(): string {
    const isKnown = this.#element === 'script' || this.#element === 'meta' || RAW_ELEMENTS.has(this.#element);
    const element = isKnown ? this.#element : '';
    const attribute = this.#attribute === '' ? '' : attributeKind(this.#attribute, this.#element);
    const name = this.#isNameOpen === false ? '' : this.#attribute;
    const rest = [name, this.#isNameOpen, this.#type, this.#isValueNext, this.#carry];
    return [this.#state, this.#rawElement, element, attribute, ...rest].join(' ');
  }

  /** @param report receives what lies in attribute values and raw elements */
  follow(text: string, report: Report): void {
    this.#report = report;
    const source = this.#carry + text;
    this.#carry = '';
    let at = 0;
    while (at < source.length) at = this.#step(source, at);
  }

  /** @throws TemplateError in the name of a tag */
  enterValue(): ValuePlace {
    const carry = this.#carry;
    this.#carry = '';
    if (carry !== '' && this.#state === 'text') {
      throw tagName(carry);
    }
    if (this.#state === 'text' || this.#state === 'comment') return { in: 'text' };
    if (this.#state === 'raw') return this.#rawPlace(carry);
    if (this.#state !== 'tag') return this.#attributePlace();
    if (!this.#isValueNext) return this.#namePlace();
    this.#enterAttribute('unquoted');
    return this.#attributePlace();
  }

  #rawPlace(carry: string): ValuePlace {
    const kind = RAW_KINDS[this.#rawElement] ?? 'plain';
    // Escapers of code let no value begin an end tag, but one may go on with its name.
    if (carry !== '' && (carry !== '<' || kind === 'plain')) throw tagName(carry);
    this.#tell(carry);
    return { in: 'raw', kind };
  }

  #namePlace(): ValuePlace {
    if (this.#isNameOpen === 'value') throw openName();
    const prefix = this.#isNameOpen === 'text' ? this.#attribute : '';
    this.#isNameOpen = 'value';
    this.#attribute = prefix || 'x';
    return { in: 'name', prefix };
  }

  #attributePlace(): ValuePlace {
    const kind = attributeKind(this.#attribute, this.#element);
    if (kind === 'type') this.#type = null;
    return { in: 'attribute', kind, isQuoted: this.#state !== 'unquoted' };
  }

  #enterAttribute(state: 'double' | 'single' | 'unquoted'): void {
    this.#state = state;
    this.#isValueNext = false;
    this.#tell('', true);
  }

  #tell(text: string, isStart = false): void {
    const isAttribute = this.#state !== 'raw';
    const kind = isAttribute ? attributeKind(this.#attribute, this.#element) : (RAW_KINDS[this.#rawElement] ?? 'plain');
    if (kind === 'type') this.#type = isStart ? '' : this.#type === null ? null : this.#type + text;
    if (isStart || text !== '') this.#report({ kind, text, isStart, isAttribute });
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
        this.#tell(source.slice(at, end));
        if (end < source.length) this.#leaveValue();
        return end === at ? this.#stepTag(source, at) : end;
      }
      default: {
        const end = source.indexOf(this.#state === 'double' ? '"' : "'", at);
        this.#tell(source.slice(at, end < 0 ? source.length : end));
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
    this.#type = null;
    this.#isValueNext = false;
  }

  #stepTag(source: string, at: number): number {
    const character = source[at]!;
    if (this.#isNameOpen === 'value' && !/[\s>=/]/.test(character)) throw openName();
    this.#isNameOpen = false;
    if (character === '>') {
      const isMarkup = this.#element === 'script' && this.#type !== null && !SCRIPT_TYPE.test(this.#type);
      const isRaw = RAW_ELEMENTS.has(this.#element) && !isMarkup;
      this.#state = isRaw ? 'raw' : 'text';
      this.#rawElement = isRaw ? this.#element : '';
      if (isRaw) this.#tell('', true);
      return at + 1;
    }
    if (/\s/.test(character)) return at + 1;
    if (this.#isValueNext) {
      const isQuote = character === '"' || character === "'";
      this.#enterAttribute(isQuote ? (character === '"' ? 'double' : 'single') : 'unquoted');
      return isQuote ? at + 1 : at;
    }
    if (character === '=' && this.#attribute !== '') {
      this.#isValueNext = true;
      return at + 1;
    }
    const end = Math.max(indexOfPattern(source, /[\s>=/]/g, at), at + 1);
    this.#attribute = source.slice(at, end).toLowerCase();
    if (end === source.length) this.#isNameOpen = 'text';
    return end;
  }

  #leaveValue(): void {
    this.#state = 'tag';
    this.#attribute = '';
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
      this.#tell(source.slice(at, source.length - this.#carry.length));
      return source.length;
    }
    this.#tell(source.slice(at, end));
    this.#enterTag('');
    return end + mark.length;
  }
}
