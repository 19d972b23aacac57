/** Tracks the HTML context of the next value, and escapes the value for it. */
import { type AttributeKind, filterName } from './attributes.js';
import { CSS_START, type CssContext, escapeCssIn, followCss } from './css-context.js';
import { decodeEntities, decodeUrlEntities, openEntity } from './entities.js';
import { TemplateError } from './error.js';
import { escapeText, escapeUnquoted } from './escape.js';
import type { Value } from './functions.js';
import type { Literal } from './html-rules.js';
import { HtmlTokens } from './html-tokens.js';
import { afterJsValue, escapeJsIn, followJs, JS_START, type JsContext } from './js-context.js';
import { escapeUrl, filterSrcset, followUrl, hasSafeScheme, REJECTED_URL, type UrlPart } from './url-parts.js';

/** In place of an empty value of an attribute without quotes: the next attribute would become the value of this one. */
const PLACEHOLDER = '#';

/** Follows the literal text of a template. Escaped values cannot change its state. */
export class HtmlContext {
  readonly #tokens: HtmlTokens;
  #js: JsContext = JS_START;
  #css: CssContext = CSS_START;
  #part: UrlPart = 'start';
  /** `content` of a meta element: behind `url=`. */
  #isMetaUrl = false;
  /** Text that the next piece may make an entity of, in an attribute of code or at the start of a URL. */
  #entity = '';

  constructor(tokens = new HtmlTokens()) {
    this.#tokens = tokens;
  }

  /** A copy that goes its own way. */
  clone(): HtmlContext {
    const copy = new HtmlContext(this.#tokens.clone());
    copy.#js = this.#js;
    copy.#css = this.#css;
    copy.#part = this.#part;
    copy.#isMetaUrl = this.#isMetaUrl;
    copy.#entity = this.#entity;
    return copy;
  }

  /** Equal for contexts that treat all that follows alike. */
  get key(): string {
    return JSON.stringify([this.#tokens.key, this.#js, this.#css, this.#part, this.#isMetaUrl, this.#entity]);
  }

  /** @param text literal text of the template @throws TemplateError for code that cannot be followed */
  follow(text: string): void {
    this.#tokens.follow(text, (literal) => this.#followLiteral(literal));
  }

  /**
   * @param printed what the value prints
   * @param isEncoded the value comes from `urlquery`, so a query does not encode it again
   * @returns the value escaped for its context
   * @throws TemplateError in a tag name, and behind what may become an entity
   */
  escape(value: Value, printed: string, isEncoded = false): string {
    const place = this.#tokens.enterValue();
    if (place.in === 'name') return filterName(place.prefix, printed);
    if (place.in === 'attribute' && this.#entity !== '') {
      const cure = `write &amp;${this.#entity.slice(1)}, or a semicolon behind the entity`;
      throw new TemplateError(`A value cannot follow ${this.#entity} in this attribute: ${cure}`);
    }
    const text = printed.toWellFormed();
    const kind = place.in === 'text' ? 'plain' : place.kind;
    const safe = this.#escapeAs(kind, value, text, isEncoded).replaceAll('\0', '\ufffd');
    if (place.in === 'attribute') return place.isQuoted ? escapeText(safe) : escapeUnquoted(safe || PLACEHOLDER);
    return kind === 'plain' ? escapeText(safe) : safe;
  }

  #escapeAs(kind: AttributeKind, value: Value, text: string, isEncoded: boolean): string {
    switch (kind) {
      case 'js': {
        const code = escapeJsIn(this.#js, value, text);
        this.#js = afterJsValue(this.#js);
        return code;
      }
      case 'css':
        return escapeCssIn(this.#css, text, isEncoded);
      case 'url':
        return escapeUrl(this.#part, text.replaceAll('\0', '\ufffd'), isEncoded);
      case 'srcset':
        return filterSrcset(text);
      case 'meta':
        return this.#isMetaUrl && !hasSafeScheme(text) ? REJECTED_URL : text;
      default:
        return text;
    }
  }

  #followLiteral({ kind, text, isStart, isAttribute }: Literal): void {
    if (isStart) {
      this.#js = JS_START;
      this.#css = CSS_START;
      this.#part = 'start';
      this.#isMetaUrl = false;
      this.#entity = '';
    }
    if (kind === 'js') this.#js = followJs(this.#js, isAttribute ? this.#decode(text) : withoutNestedScript(text));
    else if (kind === 'css') this.#css = followCss(this.#css, isAttribute ? this.#decode(text) : text);
    else if (kind === 'url') this.#followUrlText(text);
    else if (kind === 'meta') this.#followMeta(text);
  }

  #decode(text: string): string {
    return decodeEntities(this.#takeWhole(text));
  }

  /** @returns the text, with an entity that began in the piece before it, without one that it leaves open */
  #takeWhole(text: string): string {
    const whole = this.#entity + text;
    this.#entity = openEntity(whole);
    return whole.slice(0, whole.length - this.#entity.length);
  }

  /** Only the start of a URL decides on its scheme, so that `&` may stand before a value in the rest. */
  #followUrlText(text: string): void {
    this.#part = followUrl(this.#part, decodeUrlEntities(this.#takeWhole(text)));
    if (this.#part === 'start') return;
    this.#part = followUrl(this.#part, this.#entity);
    this.#entity = '';
  }

  #followMeta(text: string): void {
    for (const [mark] of text.matchAll(/url[ \t\n\f\r]*=|;/gi)) this.#isMetaUrl = mark !== ';';
  }
}

/** Browsers read `<!--` and `<script` inside of a script as if that script went on behind its end tag. */
function withoutNestedScript(text: string): string {
  if (/<script/i.test(text)) throw new TemplateError('A script contains <script: write \\x3Cscript');
  return text;
}
