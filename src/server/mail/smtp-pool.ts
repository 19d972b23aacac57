import net from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { dial } from './dial.js';
import { MailError } from './mail-error.js';
import type { Envelope, ProgressListener, SmtpSession } from './smtp-session.js';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (port 465); otherwise STARTTLS when the server offers it. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
  readonly ehloName: string;
  /** Additional TLS options, such as a test's CA; the certificate is always verified. */
  readonly tls?: ConnectionOptions | undefined;
}

/**
 * Connections to the mail server, kept for the next mail. nodemailer's own pool does not fit: it reports no stage, does not
 * separate a stale connection from a new one that failed, and signs in before its caller can check for TLS.
 */
export interface SmtpPool {
  /**
   * As {@link SmtpSession.send}, within 15 s (REL-11).
   * @throws MailError
   */
  send(envelope: Envelope, mail: Buffer, beforeData: () => Promise<void>): Promise<string>;
  /** Ends idle connections with QUIT and closes the others. */
  close(): void;
}

const ATTEMPT_SECONDS = 15;
/** Shorter than the server's time-out (RFC 5321 4.5.3.2.7: at least 5 minutes), so that the client ends a connection. */
const IDLE_SECONDS = 10;
const MAX_MAILS_PER_SESSION = 50;

interface Idle {
  readonly session: SmtpSession;
  readonly mailsSent: number;
  readonly timer: NodeJS.Timeout;
}

/** @param attemptSeconds limit of one attempt over all stages */
export function createSmtpPool(server: SmtpServer, attemptSeconds: number = ATTEMPT_SECONDS): SmtpPool {
  const idle: Idle[] = [];
  const running = new Set<AbortController>();

  const takeIdle = (): Idle | undefined => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.session.isOpen) return kept;
    }
    return undefined;
  };
  const keep = (session: SmtpSession, mailsSent: number): void => {
    if (!session.isOpen) return;
    if (mailsSent >= MAX_MAILS_PER_SESSION) {
      session.quit();
      return;
    }
    const timer = setTimeout(() => {
      const index = idle.findIndex((kept) => kept.session === session);
      if (index >= 0) idle.splice(index, 1);
      session.quit();
    }, IDLE_SECONDS * 1000);
    timer.unref();
    idle.push({ session, mailsSent, timer });
  };

  return {
    async send(envelope, mail, beforeData) {
      const attempt = new AbortController();
      running.add(attempt);
      const timer = setTimeout(() => attempt.abort(`No answer within ${attemptSeconds} s`), attemptSeconds * 1000);
      try {
        const kept = takeIdle();
        if (kept !== undefined) {
          try {
            const reply = await sendOver(kept.session, attempt.signal, envelope, mail, beforeData);
            keep(kept.session, kept.mailsSent + 1);
            return reply;
          } catch (error) {
            // The server closed the idle connection, so this mail has not been offered to it yet.
            const isStale = error instanceof MailError && error.reply === null && !error.isOutcomeUnknown;
            if (!isStale || attempt.signal.aborted) throw error;
          }
        }
        const session = await connectToServer(server, attempt.signal);
        const reply = await sendOver(session, attempt.signal, envelope, mail, beforeData);
        keep(session, 1);
        return reply;
      } finally {
        clearTimeout(timer);
        running.delete(attempt);
      }
    },
    close() {
      for (const kept of idle.splice(0)) {
        clearTimeout(kept.timer);
        kept.session.quit();
      }
      for (const attempt of running) attempt.abort('The server stops');
    },
  };
}

/**
 * Connects, greets, encrypts and signs in.
 * @throws MailError
 */
export async function connectToServer(
  server: SmtpServer,
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<SmtpSession> {
  onProgress?.({ stage: net.isIP(server.host) === 0 ? 'dns' : 'connect' });
  // Loaded for the first mail, as its composer is: the packages take a start 100 ms of processor time.
  const { openSmtpSession } = await import('./smtp-session.js');
  const socket = await dial(server.host, server.port, signal);
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await openSmtpSession({
      socket,
      host: server.host,
      isSecure: server.isSecure,
      ehloName: server.ehloName,
      user: server.user,
      password: server.password,
      tls: { minVersion: 'TLSv1.2', ...server.tls, rejectUnauthorized: true },
      onProgress,
    });
  } catch (error) {
    socket.destroy();
    if (signal.aborted && error instanceof MailError)
      throw new MailError(String(signal.reason), { stage: error.stage });
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function sendOver(
  session: SmtpSession,
  signal: AbortSignal,
  envelope: Envelope,
  mail: Buffer,
  beforeData: () => Promise<void>,
): Promise<string> {
  const abort = (): void => session.destroy(String(signal.reason));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await session.send(envelope, mail, beforeData);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
