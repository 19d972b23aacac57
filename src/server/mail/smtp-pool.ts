import net from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { dial } from './dial.js';
import { MailError, type MailStage } from './failure.js';
import { openSession } from './mailer.js';
import type { Envelope, SmtpSession } from './smtp-session.js';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (port 465); otherwise STARTTLS when the server offers it. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
  readonly ehloName: string;
  /** Additions to the TLS options, such as a CA of tests; the certificate is always verified. */
  readonly tls?: ConnectionOptions | undefined;
}

/** Connections to the mail server, kept for the next mail. nodemailer's own pool sends again at its own discretion. */
export interface SmtpPool {
  /**
   * @param beforeData see {@link SmtpSession.send}
   * @returns the server's reply
   * @throws MailError, after 15 s at the latest (REL-11)
   */
  send(envelope: Envelope, mail: Buffer, beforeData: () => Promise<void>): Promise<string>;
  /** Says goodbye on idle connections and cuts the others. */
  close(): void;
}

const ATTEMPT_SECONDS = 15;
/** Short of what servers grant (RFC 5321 4.5.3.2.7 asks for 5 minutes), so that it is us who end it. */
const IDLE_SECONDS = 10;
const MAX_MAILS_PER_SESSION = 50;

interface Idle {
  readonly session: SmtpSession;
  readonly mailsSent: number;
  readonly timer: NodeJS.Timeout;
}

/** @param attemptSeconds bound of one attempt, all stages together */
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
            // The server had hung up while the connection was idle; nothing of this mail was said.
            const isStale = error instanceof MailError && error.reply === null && !error.isOutcomeUnknown;
            if (!isStale || attempt.signal.aborted) throw error;
          }
        }
        const session = await openFresh(server, attempt.signal);
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
export async function openFresh(
  server: SmtpServer,
  signal: AbortSignal,
  onProgress?: (event: { stage: MailStage; reply?: string }) => void,
): Promise<SmtpSession> {
  onProgress?.({ stage: net.isIP(server.host) === 0 ? 'dns' : 'connect' });
  const socket = await dial(server.host, server.port, signal);
  const giveUp = (): void => void socket.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await openSession({
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
    signal.removeEventListener('abort', giveUp);
  }
}

async function sendOver(
  session: SmtpSession,
  signal: AbortSignal,
  envelope: Envelope,
  mail: Buffer,
  beforeData: () => Promise<void>,
): Promise<string> {
  const giveUp = (): void => session.destroy(String(signal.reason));
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await session.send(envelope, mail, beforeData);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
