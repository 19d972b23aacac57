/** The only file that knows nodemailer: it words the MIME message and speaks SMTP. */
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from './dial.js';
import { describeReply, MailError, type MailStage } from './failure.js';
import { type SmtpFault, stageOfCommand, toMailError } from './smtp-fault.js';
import type { Envelope, MimeMail, SessionOptions, SmtpSession } from './smtp-session.js';

// Headers nodemailer makes from what it sends; a setting must not contradict them.
const OWN_HEADERS = /^(to|cc|bcc|subject|message-id|mime-version|content-.*)$/i;
const FORBIDDEN = /[\0\r\n]/;

/**
 * @returns the whole message, lines ended by CRLF
 * @throws MailError when a header holds CR, LF or NUL (SEC-43)
 */
export async function buildMessage(mail: MimeMail): Promise<Buffer> {
  const custom = mail.headers.filter(([name]) => !OWN_HEADERS.test(name));
  const values = [mail.id, mail.host, mail.from.name, mail.from.address, mail.to, mail.subject, ...custom.flat()];
  if (values.some((value) => FORBIDDEN.test(value))) {
    throw new MailError('A header would hold a line break or NUL', { stage: 'open', isFinal: true });
  }
  const message = new MailComposer({
    from: { name: mail.from.name, address: mail.from.address },
    to: { name: '', address: mail.to },
    subject: mail.subject,
    messageId: `<${mail.id}@${mail.host}>`,
    date: new Date(),
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'win',
  }).compile();
  for (const [name, value] of custom) message.setHeader(name, value);
  return message.build();
}

/**
 * Greets, encrypts and signs in.
 * @throws MailError
 */
export async function openSession(options: SessionOptions): Promise<SmtpSession> {
  const dialogue = new Dialogue(options);
  await dialogue.open();
  return dialogue;
}

class Dialogue implements SmtpSession {
  readonly #connection: SMTPConnection;
  readonly #options: SessionOptions;
  /** Stages of the commands whose replies are awaited: with PIPELINING several leave at once. */
  #awaited: MailStage[] = [];
  #stage: MailStage;
  #ehloReply = '';
  #isOpen = true;
  /** Ends the step that runs. */
  #reject: ((error: MailError) => void) | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#stage = options.isSecure ? 'tls' : 'greeting';
    this.#connection = new SMTPConnection({
      connection: options.socket,
      host: options.host,
      secure: options.isSecure,
      name: options.ehloName,
      // The caller's deadline of the whole attempt is the shorter one; a greeting may take long (postscreen waits 6 s).
      connectionTimeout: 15_000,
      greetingTimeout: 15_000,
      socketTimeout: 60_000,
      socketCloseTimeout: 0,
      maxResponseSize: 64 * 1024,
      transactionLog: true,
      logger: this.#listener(),
      tls: options.tls,
    });
    this.#connection.on('error', (error) => this.#end(this.#translate(error)));
    this.#connection.once('end', () => this.#end(this.#lost()));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isEncrypted(): boolean {
    return this.#connection.secure;
  }

  async open(): Promise<void> {
    this.#options.onProgress?.({ stage: this.#stage });
    await this.#step<void>((done) => this.#connection.connect((error) => done(error)));
    const { user, password } = this.#options;
    if (user === '' || !this.#connection.allowsAuth) return;
    this.#begin('auth');
    const method = this.#chooseAuthMethod();
    await this.#step<void>((done) =>
      this.#connection.login({ user, method, credentials: { user, pass: password } }, (error) => done(error)),
    );
  }

  async send(envelope: Envelope, mail: Buffer, beforeData: () => Promise<void>): Promise<string> {
    let hasLeft = false;
    let refusal: unknown;
    let isAsked = false;
    const body = new Readable({
      read() {
        if (isAsked) return;
        isAsked = true;
        beforeData().then(
          () => {
            if (body.destroyed) return;
            hasLeft = true;
            body.push(mail);
            body.push(null);
          },
          (error: unknown) => {
            refusal = error;
            body.destroy(new Error('The mail was held back'));
          },
        );
      },
    });
    try {
      const info = await this.#step<{ response: string }>((done) =>
        this.#connection.send({ from: envelope.from, to: [envelope.to], size: mail.length }, body, (error, sent) =>
          done(error, sent),
        ),
      );
      return describeReply(info.response);
    } catch (error) {
      // In the middle of a mail the server cannot be told that it was not meant: only an early end tells.
      this.destroy('A mail failed');
      if (refusal !== undefined) throw refusal;
      const failure = error as MailError;
      if (!hasLeft || failure.reply !== null) throw failure;
      throw new MailError(failure.message, { stage: 'data', isOutcomeUnknown: true, cause: failure.cause });
    } finally {
      body.destroy();
    }
  }

  quit(): void {
    this.#isOpen = false;
    this.#connection.quit();
    setTimeout(() => this.#connection.close(), 1000).unref();
  }

  destroy(reason: string): void {
    this.#end(new MailError(reason, { stage: this.#awaited[0] ?? this.#stage }));
    this.#connection.close();
    this.#options.socket.destroy();
  }

  /** PLAIN and LOGIN show the password to whoever listens: only over TLS, or within this machine (delivery.md 5.7). */
  #chooseAuthMethod(): string {
    const offered = /^\d{3}[ -]AUTH[ =](.*)$/im.exec(this.#ehloReply)?.[1]?.toUpperCase().split(/\s+/) ?? [];
    if (offered.includes('CRAM-MD5')) return 'CRAM-MD5';
    if (!this.isEncrypted && !isLoopback(this.#options.host)) {
      throw this.#fail(
        'The mail server offers no encryption, so the password was not sent: use port 465 or a server with STARTTLS, or unset AUTH_SMTP_USER',
        'auth',
      );
    }
    return offered.includes('LOGIN') && !offered.includes('PLAIN') ? 'LOGIN' : 'PLAIN';
  }

  #fail(message: string, stage: MailStage): MailError {
    const error = new MailError(message, { stage });
    this.destroy(message);
    return error;
  }

  #step<Result>(start: (done: (error: unknown, result?: Result) => void) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(this.#lost());
        return;
      }
      this.#reject = reject;
      start((error, result) => {
        this.#reject = null;
        if (error) {
          const failure = this.#translate(error as SmtpFault);
          // A session that failed once is not used again: its state is the server's secret.
          this.destroy(failure.message);
          reject(failure);
        } else resolve(result as Result);
      });
    });
  }

  #end(error: MailError): void {
    this.#isOpen = false;
    this.#reject?.(error);
    this.#reject = null;
  }

  #lost(): MailError {
    return new MailError('The mail server closed the connection', { stage: this.#current() });
  }

  #begin(stage: MailStage): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#options.onProgress?.({ stage });
  }

  #translate(fault: SmtpFault): MailError {
    return toMailError(fault, this.#current());
  }

  /** The stage whose reply is awaited. */
  #current(): MailStage {
    return this.#awaited[0] ?? this.#stage;
  }

  /** Listens in on the dialogue. Bodies are not part of it, and nodemailer leaves passwords out. */
  #listener() {
    const ignore = (): void => undefined;
    const hear = (entry: unknown, text?: unknown): void => {
      const { tnx } = (entry ?? {}) as { tnx?: string };
      if (tnx === 'client' && typeof text === 'string') {
        const stage = stageOfCommand(text) ?? this.#stage;
        this.#awaited.push(stage);
        if (this.#awaited.length === 1) this.#begin(stage);
      } else if (tnx === 'server' && typeof text === 'string') {
        const answered = this.#awaited.shift() ?? this.#stage;
        if (/^2\d\d[ -](.|\n)*\bAUTH\b/i.test(text)) this.#ehloReply = text;
        this.#options.onProgress?.({ stage: answered, reply: describeReply(text) });
        if (this.#awaited[0] !== undefined) this.#begin(this.#awaited[0]);
      } else if (tnx === 'network' && this.#stage === 'tls' && this.#options.isSecure) {
        this.#begin('greeting');
      }
    };
    return { trace: ignore, debug: hear, info: hear, warn: ignore, error: ignore, fatal: ignore };
  }
}
