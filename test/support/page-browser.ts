/** A browser without scripts: keeps cookies, follows redirects within the server, and sends the forms of pages. */
import { type PlainAnswer, sendPlain } from './plain-request.js';
import { noteSecrets } from './secret-search.js';

export interface Form {
  readonly action: string;
  /** Without boxes to tick. */
  readonly fields: Readonly<Record<string, string>>;
  /** Text of the form, with its buttons. */
  readonly html: string;
}

export class PageBrowser {
  readonly #origin: string;
  readonly cookies: Map<string, string>;
  /** Address of the page that is shown. */
  url = '';
  html = '';
  status = 0;
  headers = new Headers();
  /** Sent with every request. */
  more: Record<string, string> = {};
  /** Servers to which redirects are followed as well. */
  following: readonly string[] = [];

  /** @param origin of the server. @param cookies those of another tab */
  constructor(origin: string, cookies = new Map<string, string>()) {
    this.#origin = origin;
    this.cookies = cookies;
  }

  /** Another tab with the same page: both have the same cookies. */
  openTab(): Promise<PageBrowser> {
    return new PageBrowser(this.#origin, this.cookies).open(this.url);
  }

  get title(): string {
    return decode(/<h1>([\s\S]*?)</.exec(this.html)?.[1]?.trim() ?? '');
  }

  /** The text of the page's alert. */
  get alert(): string {
    return decode(/<p class="alert[^>]*>([\s\S]*?)<\/p>/.exec(this.html)?.[1] ?? '');
  }

  get forms(): Form[] {
    return [...this.html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, attributes = '', html = '']) => ({
      action: new URL(attribute(attributes, 'action'), this.url).href,
      fields: Object.fromEntries(
        [...html.matchAll(/<input([^>]*)>/gi)]
          .filter(([, input = '']) => attribute(input, 'type') !== 'checkbox')
          .map(([, input = '']) => [attribute(input, 'name'), attribute(input, 'value')] as const)
          .filter(([name]) => name !== ''),
      ),
      html,
    }));
  }

  /** @param part of the action, or of the form's text */
  form(part: string): Form {
    const found = this.forms.find(({ action, html }) => new URL(action).pathname.endsWith(part) || html.includes(part));
    if (found === undefined)
      throw new Error(`No form ${part} on ${this.url} (${this.status}): ${this.html.slice(0, 3000)}`);
    return found;
  }

  /** Where the last page of a flow leads. */
  get onward(): string {
    return decode(/http-equiv="refresh" content="0; url=([^"]*)"/.exec(this.html)?.[1] ?? '');
  }

  link(text: string): string {
    const found = [...this.html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].find(([, , label]) =>
      decode(label ?? '').includes(text),
    );
    if (found === undefined) throw new Error(`No link ${text} on ${this.url}`);
    return new URL(decode(found[1]!), this.url).href;
  }

  open(address: string): Promise<this> {
    return this.#go('GET', new URL(address, this.url || this.#origin).href);
  }

  /** @param given fields in place of those of the form. @param ticked values of boxes by their name */
  send(
    form: Form,
    given: Record<string, string> = {},
    ticked: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<this> {
    noteSecrets(given);
    const fields = new URLSearchParams({ ...form.fields, ...given });
    for (const [name, values] of Object.entries(ticked)) for (const value of values) fields.append(name, value);
    return this.#go('POST', form.action, fields.toString());
  }

  async #go(method: string, url: string, body?: string): Promise<this> {
    let step: { readonly method: string; readonly url: string; readonly body?: string | undefined } = {
      method,
      url,
      body,
    };
    for (let hops = 0; hops < 10; hops++) {
      const { method, url, body } = step;
      const answer: PlainAnswer = await sendPlain(url, {
        method,
        headers: {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin }),
          ...this.more,
        },
        ...(body !== undefined && { body }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        this.cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      [this.url, this.status, this.headers] = [url, answer.status, answer.headers];
      // Where a line may break says nothing; addresses are found as they are read.
      this.html = answer.text.replaceAll('<wbr>', '');
      if (location === null) break;
      const target: URL = new URL(location, url);
      if (![this.#origin, ...this.following].includes(target.origin)) {
        this.url = target.href;
        break;
      }
      step = { method: 'GET', url: target.href };
    }
    return this;
  }
}

const attribute = (text: string, name: string): string =>
  decode(new RegExp(`(?:^|\\s)${name}="([^"]*)"`, 'i').exec(text)?.[1] ?? '');

const decode = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&');
