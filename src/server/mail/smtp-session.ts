/** What the mail server's client and its callers agree on. */
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { MailStage } from './failure.js';

/** Everything of a mail but where it goes. */
export interface MimeMail {
  readonly id: string;
  /** Right side of the Message-ID. */
  readonly host: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** One recipient, always (SEC-43). */
export interface Envelope {
  readonly from: string;
  readonly to: string;
}

export interface SessionOptions {
  readonly socket: Socket;
  readonly host: string;
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  readonly isSecure: boolean;
  readonly ehloName: string;
  readonly user: string;
  readonly password: string;
  readonly tls: ConnectionOptions;
  /** Told every stage as it begins and every reply as it comes. */
  readonly onProgress?: ((event: { stage: MailStage; reply?: string }) => void) | undefined;
}

/** A mail server that has greeted and accepted us. */
export interface SmtpSession {
  readonly isOpen: boolean;
  readonly isEncrypted: boolean;
  /**
   * @param beforeData runs after the server's go-ahead and before the first byte of the mail; it may stop it by throwing
   * @returns the server's reply
   * @throws MailError
   */
  send(envelope: Envelope, mail: Buffer, beforeData: () => Promise<void>): Promise<string>;
  /** Says goodbye. */
  quit(): void;
  /** Cuts the connection; what runs fails. */
  destroy(reason: string): void;
}
