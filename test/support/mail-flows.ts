import { noteSecrets } from './secret-search.js';
import { openTestServer, type TestServer } from './server.js';
import { openTestMailServer, type TestMailServer } from './smtp.js';
import type { Test } from './tap.js';
import { until } from './until.js';

export interface ReadMail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The numeric code. */
  readonly code: string;
  /** The link, its entities resolved; undefined where the mail has none. */
  readonly link: URL | undefined;
}

export interface MailFlow extends TestServer {
  readonly smtp: TestMailServer;
  /** The next mail to an address that has not been read yet, waited for. */
  nextMail(to: string): Promise<ReadMail>;
  /** How many mails an address gets: those that wait in the outbox are waited for. */
  mailsTo(to: string): Promise<number>;
  /** Follows a link as a browser would, without the redirect. */
  follow(link: URL, init?: RequestInit): Promise<Followed>;
}

export interface Followed {
  readonly status: number;
  readonly location: URL | undefined;
  readonly query: URLSearchParams;
  readonly fragment: URLSearchParams;
  readonly text: string;
}

/** A server with a real mail server, and without send intervals, so that a test may request mails repeatedly. */
export async function openMailFlow(t: Test, settings: Record<string, string> = {}): Promise<MailFlow> {
  const smtp = await openTestMailServer(t);
  const server = await openTestServer(t, {
    MAILER_AUTOCONFIRM: 'false',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(smtp.port),
    SMTP_ADMIN_EMAIL: 'auth@example.com',
    SMTP_MAX_FREQUENCY: '0',
    RATE_LIMIT_EMAIL_SENT: '100000',
    URI_ALLOW_LIST: 'https://app.example.com/**',
    ...settings,
  });
  const read = new Set<string>();
  const all = async (to: string) =>
    (await smtp.accepted()).filter((mail) => mail.to?.some(({ address }) => address === to));
  return {
    ...server,
    smtp,
    async mailsTo(to) {
      await until(async () => (await server.database.admin.query('select from outbox limit 1')).rowCount === 0);
      return (await all(to)).length;
    },
    async nextMail(to) {
      let mail: Awaited<ReturnType<typeof all>>[number] | undefined;
      await until(async () => {
        mail = (await all(to)).find(({ messageId }) => !read.has(messageId!));
        return mail !== undefined;
      });
      read.add(mail!.messageId!);
      return readMail(to, mail!.subject ?? '', mail!.html ?? '', mail!.text ?? '');
    },
    follow: (link, init) => follow(server.url, link, init),
  };
}

function readMail(to: string, subject: string, html: string, text: string): ReadMail {
  const href = /href="(http[^"]+token=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&').replaceAll('&#43;', '+');
  // The code has its own line: an address in the text may begin with six digits, too.
  const code = /^\d{6,10}$/m.exec(text)?.[0] ?? '';
  const link = href === undefined ? undefined : new URL(href);
  noteSecrets({ token: link?.searchParams.get('token') });
  return { to, subject, html, text, code, link };
}

async function follow(base: string, link: URL, init: RequestInit = {}): Promise<Followed> {
  const response = await fetch(base + link.pathname + link.search, { redirect: 'manual', ...init });
  const header = response.headers.get('location');
  const location = header === null ? undefined : new URL(header);
  return {
    status: response.status,
    location,
    query: location?.searchParams ?? new URLSearchParams(),
    fragment: new URLSearchParams(location?.hash.slice(1)),
    text: await response.text(),
  };
}
