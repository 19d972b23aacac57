/** Tracks the HTML context of the next value, and escapes the value for it. */
import { type AttributeKind, filterName } from './attributes.js';
import { CSS_START, type CssContext, escapeCssIn, followCss } from './css-context.js';
import { decodeEntities } from './entities.js';
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
    return copy;
  }

  /** Equal for contexts that treat all that follows alike. */
  get key(): string {
    return JSON.stringify([this.#tokens.key, this.#js, this.#css, this.#part, this.#isMetaUrl]);
  }

  /** @param text literal text of the template @throws TemplateError for code that cannot be followed */
  follow(text: string): void {
    this.#tokens.follow(text, (literal) => this.#followLiteral(literal));
  }

  /**
   * @param printed what the value prints
   * @param isEncoded the value comes from `urlquery`, so a query does not encode it again
   * @returns the value escaped for its context
   * @throws TemplateError in a tag name
   */
  escape(value: Value, printed: string, isEncoded = false): string {
    const place = this.#tokens.enterValue();
    if (place.in === 'name') return filterName(place.prefix, printed);
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
    }
    if (kind === 'js') this.#js = followJs(this.#js, isAttribute ? decodeEntities(text) : withoutNestedScript(text));
    else if (kind === 'css') this.#css = followCss(this.#css, isAttribute ? decodeEntities(text) : text);
    else if (kind === 'url') this.#part = followUrl(this.#part, text.replace(/&(?:amp|#38|#x26);/gi, '&'));
    else if (kind === 'meta') this.#followMeta(text);
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
