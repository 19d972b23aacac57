/** The latest messages of the identity provider, as developers read them. */

export interface TracedMessage {
  readonly at: Date;
  readonly isReceived: boolean;
  /** Name of the element. */
  readonly kind: string;
  readonly binding: 'HTTP-Redirect' | 'HTTP-POST';
  /** One sentence: what came of its signature, or what is wrong with it on purpose. */
  readonly note: string;
  readonly relayState: string;
  readonly xml: string;
}

export interface MessageTrace {
  add(message: Omit<TracedMessage, 'at' | 'kind'>): void;
  /** Newest first. */
  list(): readonly TracedMessage[];
}

const CAPACITY = 30;

/** Kept in memory: what is older than the last 30 is forgotten, as all is when the server stops. */
export function openMessageTrace(): MessageTrace {
  let messages: readonly TracedMessage[] = [];
  return {
    add(message) {
      const kind = /<(?:\w+:)?(\w+)/.exec(message.xml.replace(/<\?.*?\?>/, ''))?.[1] ?? 'unreadable';
      messages = [{ ...message, kind, at: new Date() }, ...messages].slice(0, CAPACITY);
    },
    list: () => messages,
  };
}

/** One element a line, for reading alone: the signature is over the text as it was sent. */
export function indentXml(xml: string): string {
  const lines: string[] = [];
  let depth = 0;
  for (const [part] of xml
    .trim()
    .replace(/>\s+</g, '><')
    .matchAll(/<[^>]*>[^<]*/g)) {
    const isEnd = part.startsWith('</');
    if (isEnd) depth -= 1;
    const last = lines.at(-1);
    const name = /^<\/?([\w:-]+)/.exec(part)?.[1] ?? '';
    // The end of an element that has only text stays on its line.
    if (isEnd && last !== undefined && new RegExp(`^ *<${name}(?:\\s[^>]*)?>[^<]*$`).test(last))
      lines[lines.length - 1] = last + part;
    else lines.push('  '.repeat(Math.max(depth, 0)) + part);
    if (!isEnd && !/^<[^>]*[/?]>/.test(part)) depth += 1;
  }
  return lines.join('\n');
}
