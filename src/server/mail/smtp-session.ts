/**
 * One connection to the mail server, over nodemailer's SMTPConnection. Which command a reply answers is public in no API of
 * nodemailer: it is read from the log entries of the version that `test/unit/mail-smtp.test.ts` names.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from '../outbound/loopback.js';
import { describeReply, MailError, type MailStage } from './mail-error.js';
import { type SmtpFault, stageOfCommand, toMailError } from './smtp-fault.js';

/** Always one recipient (SEC-43). */
export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/** Receives each stage at its start, and each reply of the server. */
export type ProgressListener = (event: { stage: MailStage; reply?: string }) => void;

export interface SessionOptions {
  readonly socket: Socket;
  readonly host: string;
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  readonly isSecure: boolean;
  readonly ehloName: string;
  readonly user: string;
  readonly password: string;
  readonly tls: ConnectionOptions;
  readonly onProgress?: ProgressListener | undefined;
}

/**
 * Greets, encrypts and signs in.
 * @throws MailError
 */
export async function openSmtpSession(options: SessionOptions): Promise<SmtpSession> {
  const session = new SmtpSession(options);
  await session.open();
  return session;
}

export class SmtpSession {
  readonly #connection: SMTPConnection;
  readonly #options: SessionOptions;
  /** Stages of the commands without a reply; PIPELINING sends several at once. */
  #pending: MailStage[] = [];
  #stage: MailStage;
  #isOpen = true;
  /** Rejects the running step. */
  #reject: ((error: MailError) => void) | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#stage = options.isSecure ? 'tls' : 'greeting';
    this.#connection = new SMTPConnection({
      connection: options.socket,
      host: options.host,
      secure: options.isSecure,
      name: options.ehloName,
      // The caller's deadline for the attempt is shorter; a greeting may take long (postscreen waits 6 s).
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 60_000,
      socketCloseTimeout: 0,
      maxResponseSize: 64 * 1024,
      transactionLog: true,
      logger: this.#createLogger(),
      tls: options.tls,
    });
    this.#connection.on('error', (error) => this.#fail(toMailError(error, this.#currentStage())));
    this.#connection.once('end', () => this.#fail(this.#closedError()));
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
    this.#enterStage('auth');
    const method = this.#chooseAuthMethod();
    await this.#step<void>((done) =>
      this.#connection.login({ user, method, credentials: { user, pass: password } }, (error) => done(error)),
    );
  }

  /**
   * @param beforeData runs after the server's reply to DATA and before the first byte of the mail; its error stops the mail
   * @returns the server's reply
   * @throws MailError, or the error of `beforeData`
   */
  async send(envelope: Envelope, mail: Buffer, beforeData: () => Promise<void>): Promise<string> {
    let hasLeft = false;
    let stopReason: unknown;
    let isRequested = false;
    const body = new Readable({
      read() {
        if (isRequested) return;
        isRequested = true;
        beforeData().then(
          () => {
            if (body.destroyed) return;
            hasLeft = true;
            body.push(mail);
            body.push(null);
          },
          (error: unknown) => {
            stopReason = error;
            body.destroy(new Error('The mail was stopped'));
          },
        );
      },
    });
    try {
      const info = await this.#step<{ response: string }>((done) =>
        this.#connection.send({ from: envelope.from, to: [envelope.to], size: mail.length }, body, done),
      );
      return describeReply(info.response);
    } catch (error) {
      // SMTP has no command that takes back a mail after DATA: the connection must end.
      this.destroy('A mail failed');
      if (stopReason !== undefined) throw stopReason;
      const failure = error as MailError;
      if (!hasLeft || failure.reply !== null) throw failure;
      throw new MailError(failure.message, { stage: 'data', isOutcomeUnknown: true, cause: failure.cause });
    } finally {
      body.destroy();
    }
  }

  /** Sends QUIT. */
  quit(): void {
    this.#isOpen = false;
    this.#connection.quit();
    setTimeout(() => this.#connection.close(), 1000).unref();
  }

  /** Closes the connection; the running step fails. */
  destroy(reason: string): void {
    this.#fail(new MailError(reason, { stage: this.#currentStage() }));
    this.#connection.close();
    this.#options.socket.destroy();
  }

  /** PLAIN and LOGIN send the password readably: they need TLS or a loopback connection. */
  #chooseAuthMethod(): string {
    const ehloReply = this.#connection.lastServerResponse || '';
    const offered = /^\d{3}[ -]AUTH[ =](.*)$/im.exec(ehloReply)?.[1]?.toUpperCase().split(/\s+/) ?? [];
    if (offered.includes('CRAM-MD5')) return 'CRAM-MD5';
    if (!this.isEncrypted && !isLoopback(this.#options.host)) {
      const message =
        'The mail server offers no encryption, so the password was not sent: use port 465 or a server with STARTTLS, or unset AUTH_SMTP_USER';
      this.destroy(message);
      throw new MailError(message, { stage: 'auth' });
    }
    return offered.includes('LOGIN') && !offered.includes('PLAIN') ? 'LOGIN' : 'PLAIN';
  }

  #step<Result>(start: (done: (error?: Error | null, result?: Result) => void) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(this.#closedError());
        return;
      }
      this.#reject = reject;
      start((error, result) => {
        this.#reject = null;
        if (error) {
          const failure = toMailError(error as SmtpFault, this.#currentStage());
          // The server's state after a failure is unknown.
          this.destroy(failure.message);
          reject(failure);
        } else resolve(result as Result);
      });
    });
  }

  #fail(error: MailError): void {
    this.#isOpen = false;
    this.#reject?.(error);
    this.#reject = null;
  }

  #closedError(): MailError {
    return new MailError('The mail server closed the connection', { stage: this.#currentStage() });
  }

  #enterStage(stage: MailStage): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#options.onProgress?.({ stage });
  }

  #currentStage(): MailStage {
    return this.#pending[0] ?? this.#stage;
  }

  /** Follows the commands and replies. nodemailer logs no bodies and no passwords. */
  #createLogger() {
    const ignore = (): void => undefined;
    const follow = (entry: unknown, text?: unknown): void => {
      const { tnx } = (entry ?? {}) as { tnx?: string };
      if (tnx === 'client' && typeof text === 'string') {
        const stage = stageOfCommand(text) ?? this.#stage;
        this.#pending.push(stage);
        if (this.#pending.length === 1) this.#enterStage(stage);
      } else if (tnx === 'server' && typeof text === 'string') {
        const stage = this.#pending.shift() ?? this.#stage;
        this.#options.onProgress?.({ stage, reply: describeReply(text) });
        if (this.#pending[0] !== undefined) this.#enterStage(this.#pending[0]);
      } else if (tnx === 'network' && this.#stage === 'tls' && this.#options.isSecure) {
        this.#enterStage('greeting');
      }
    };
    return { trace: ignore, debug: follow, info: follow, warn: ignore, error: ignore, fatal: ignore };
  }
}
