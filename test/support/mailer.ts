/** A mailer with a test's own database and mail server. */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/db/pool.js';
import type { Database } from '../../src/db/types.js';
import { loadConfig } from '../../src/server/config/load.js';
import type { Mailer, MailFailed, MailMessage, OutboxEntry } from '../../src/server/mail/contract.js';
import { type MailerOptions, startMailer } from '../../src/server/mail/mailer.js';
import { createSealer, hashRecipient } from '../../src/server/mail/seal.js';
import type { Log } from '../../src/server/telemetry/log.js';
import type { TestDatabase } from './database.js';
import { testEnvironment } from './server.js';
import type { Test } from './tap.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export function listeningLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ ...fields, level, message } as LogLine);
  const levels = Object.fromEntries(['fatal', 'error', 'warn', 'info', 'debug'].map((level) => [level, write(level)]));
  const line = (level: string, members: string, message: string) =>
    write(level)(JSON.parse(`{${members.slice(1)}}`), message);
  return { ...levels, line, lines, isLevelEnabled: () => true, flush: () => undefined } as unknown as Log & {
    readonly lines: LogLine[];
  };
}

export interface TestMailer {
  readonly mailer: Mailer;
  readonly db: Database;
  readonly log: ReturnType<typeof listeningLog>;
  readonly failed: MailFailed[];
  /** Seals, stores and nudges, as the domain does. @returns the row's id */
  post(message?: Partial<MailMessage>): Promise<string>;
}

export const mailTo = (to: string, message: Partial<MailMessage> = {}): MailMessage => ({
  kind: 'recovery',
  to,
  email: to,
  newEmail: null,
  code: '314159',
  linkToken: 'feedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedface',
  linkType: 'recovery',
  redirectTo: 'http://localhost:3000',
  data: {},
  ...message,
});

export function mailConfig(databaseUrl: string, port: number, settings: Record<string, string> = {}) {
  return loadConfig({
    environment: testEnvironment(databaseUrl, {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(port),
      SMTP_ADMIN_EMAIL: 'no-reply@latchkey.example',
      ...settings,
    }),
    file: null,
  }).config;
}

/** Starts a mailer that retries after tenths of a second, and closes it at the end of the test. */
export function startTestMailer(
  t: Test,
  database: TestDatabase,
  port: number,
  options: { settings?: Record<string, string> } & Partial<MailerOptions> = {},
): TestMailer {
  const { settings, ...more } = options;
  const config = mailConfig(database.url, port, settings);
  const log = listeningLog();
  const failed: MailFailed[] = [];
  const db = openDatabase({
    url: database.url,
    maxConnections: 4,
    prefix: '',
    preparedStatements: true,
    acquireTimeoutSeconds: 2,
    statementTimeoutSeconds: 5,
    log,
  });
  const mailer = startMailer({
    config,
    db,
    log,
    onFailed: (mail) => void failed.push(mail),
    ...more,
    timing: { retrySeconds: [0.1, 0.1, 0.2, 0.5], pollSeconds: 1, ...more.timing },
  });
  t.teardown(async () => {
    await mailer.close(0);
    await db.close();
  });
  return {
    mailer,
    db,
    log,
    failed,
    async post(message = {}) {
      const entries = mailer.seal([mailTo(`${randomUUID()}@example.com`, message)]);
      await storeEntries(database, entries);
      mailer.nudge();
      return entries[0]!.id;
    },
  };
}

/** Stores a mail without a mailer that sends it. */
export async function storeMail(database: TestDatabase, message: MailMessage): Promise<string> {
  const id = randomUUID();
  const sealed = createSealer(mailConfig(database.url, 25)).seal(id, message);
  await storeEntries(database, [{ id, kind: message.kind, recipient_hash: hashRecipient(message.to), sealed }]);
  return id;
}

/** As the statements of the domain do: replaces an older mail of the same kind that has not left. */
export async function storeEntries(database: TestDatabase, entries: readonly OutboxEntry[]): Promise<void> {
  await database.admin.query(
    `with entries as (
       select * from jsonb_to_recordset($1::jsonb) as e(id uuid, kind text, recipient_hash text, sealed text)
     ), replaced as (
       delete from outbox o using entries e
       where o.recipient_hash = e.recipient_hash and o.kind = e.kind and o.data_started_at is null
     )
     insert into outbox (id, kind, recipient_hash, sealed) select id, kind, recipient_hash, sealed from entries`,
    [JSON.stringify(entries)],
  );
}

export async function outboxRows(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return (await database.admin.query('select * from outbox order by created_at')).rows;
}
