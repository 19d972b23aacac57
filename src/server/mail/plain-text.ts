/** Turns the HTML of a mail into its text alternative. Linear in the length, whatever the HTML. */

const HIDDEN = new Set(['head', 'script', 'style', 'title', 'template']);
const BLOCKS = new Set(
  'address article blockquote div dl dt dd footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul'.split(
    ' ',
  ),
);
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** @returns plain text; a link becomes its words and, on a line of its own, its target */
export function htmlToText(html: string): string {
  const lines = new Lines();
  let hidden: string | null = null;
  let target: string | null = null;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const text = html.slice(at, open < 0 ? html.length : open);
    if (hidden === null) lines.add(decodeEntities(text));
    if (open < 0) break;
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const end = endOfTag(html, open);
    const tag = html.slice(open + 1, end);
    at = end + 1;
    const name = /^\/?([a-zA-Z][a-zA-Z0-9]*)/.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) continue;
    const isEnd = tag.startsWith('/');
    if (hidden !== null) {
      if (isEnd && name === hidden) hidden = null;
    } else if (HIDDEN.has(name)) {
      if (!isEnd) hidden = name;
    } else if (name === 'br') lines.endLine();
    else if (name === 'a') {
      if (isEnd && target !== null) lines.addTarget(target);
      target = isEnd ? null : hrefOf(tag);
    } else if (name === 'td' || name === 'th') lines.add(' ');
    else if (BLOCKS.has(name)) lines.endBlock();
  }
  return lines.toString();
}

class Lines {
  readonly #lines: string[] = [];
  #line = '';

  add(text: string): void {
    this.#line += text.replace(/[\s\u00a0]+/g, ' ');
  }

  addTarget(target: string): void {
    if (this.#line.trim() === target) return;
    if (this.#line.trim() !== '') this.#line = `${this.#line.trimEnd()}:`;
    this.endLine();
    this.#line = target;
    this.endLine();
  }

  endLine(): void {
    const line = this.#line.replace(/ {2,}/g, ' ').trim();
    this.#line = '';
    // One empty line between blocks, none at the beginning.
    if (line !== '' || (this.#lines.length > 0 && this.#lines.at(-1) !== '')) this.#lines.push(line);
  }

  endBlock(): void {
    if (this.#line.trim() !== '') this.endLine();
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  toString(): string {
    this.endBlock();
    return `${this.#lines.join('\n').trimEnd()}\n`;
  }
}

/** A `>` inside a quoted attribute ends nothing. */
function endOfTag(html: string, open: number): number {
  const next = /"[^"]*"|'[^']*'|>/g;
  next.lastIndex = open + 1;
  for (let match = next.exec(html); match !== null; match = next.exec(html)) {
    if (match[0] === '>') return match.index;
  }
  return html.length;
}

function hrefOf(tag: string): string | null {
  const match = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag);
  const href = match?.[1] ?? match?.[2] ?? match?.[3];
  return href === undefined || !/^(https?|mailto):/i.test(href) ? null : decodeEntities(href).trim();
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name as string]! : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter || code === 9 || code === 10 ? String.fromCodePoint(code) : '\ufffd';
  });
}
