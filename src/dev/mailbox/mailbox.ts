/** The mailbox of `latchkey dev`: keeps mails and texts in memory instead of sending them. */
import { randomBytes } from 'node:crypto';
import { findCodes, findLinks } from './find.js';

/** The oldest message is dropped for a new one. */
export const CAPACITY = 200;

export interface Message {
  readonly id: string;
  readonly kind: 'mail' | 'sms';
  /** An email address, or a phone number without plus. */
  readonly to: string;
  /** '' for a text message. */
  readonly subject: string;
  readonly text: string;
  /** null for a text message. */
  readonly html: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** One-time codes of the message, the most likely first. */
  readonly codes: readonly string[];
  /** http and https links of the message, in order. */
  readonly links: readonly string[];
  /** ISO 8601. */
  readonly sentAt: string;
}

export interface Mailbox {
  addMail(mail: {
    readonly to: string;
    readonly subject: string;
    readonly html?: string | null | undefined;
    readonly text: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly sentAt?: Date | undefined;
  }): void;
  addSms(sms: {
    readonly to: string;
    readonly text: string;
    readonly code?: string | undefined;
    readonly sentAt?: Date | undefined;
  }): void;
  /** Newest first. @param to an address or number, with or without its plus; case does not matter */
  list(to?: string): readonly Message[];
  find(id: string): Message | undefined;
  clear(): void;
  /** Changes with the content, and with each start of the server. */
  readonly revision: string;
}

export function createMailbox(): Mailbox {
  let messages: Message[] = [];
  let lastId = 0;
  let changes = 0;
  const start = randomBytes(6).toString('hex');

  const add = (message: Omit<Message, 'id'>): void => {
    changes++;
    lastId++;
    messages = [{ id: String(lastId), ...message }, ...messages.slice(0, CAPACITY - 1)];
  };
  return {
    addMail({ to, subject, html = null, text, headers = {}, sentAt = new Date() }) {
      const links = findLinks(html, text);
      const codes = findCodes(text);
      add({ kind: 'mail', to, subject, text, html, headers, codes, links, sentAt: sentAt.toISOString() });
    },
    addSms({ to, text, code, sentAt = new Date() }) {
      const codes = code === undefined ? findCodes(text) : [code];
      const links = findLinks(null, text);
      add({ kind: 'sms', to, subject: '', text, html: null, headers: {}, codes, links, sentAt: sentAt.toISOString() });
    },
    list: (to) => (to === undefined ? messages : messages.filter((message) => sameAddress(message.to, to))),
    find: (id) => messages.find((message) => message.id === id),
    clear() {
      changes++;
      messages = [];
    },
    get revision() {
      return `${start}-${changes}`;
    },
  };
}

function sameAddress(one: string, other: string): boolean {
  // A form decoder reads a + in a query as a space.
  const normalise = (address: string) => address.trim().toLowerCase().replace(/^\+/, '');
  return normalise(one) === normalise(other);
}
