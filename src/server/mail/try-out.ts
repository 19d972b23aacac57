import { randomUUID } from 'node:crypto';
import type { Config } from '../config/settings.js';
import { MailError, type MailStage } from './failure.js';
import { buildMessage } from './mailer.js';
import { openFresh } from './smtp-pool.js';
import { mailHost, smtpServerOf } from './smtp-settings.js';

export interface TryOutResult {
  readonly isEncrypted: boolean;
  /** Where it ended; null: the mail was accepted. */
  readonly failure: MailError | null;
  /** The server's last reply, on one line. */
  readonly reply: string | null;
}

const ATTEMPT_SECONDS = 15;

/**
 * Sends one mail the way all mails go, telling every stage and reply. Never throws for a mail server's faults.
 * @param onProgress told each stage as it begins, and each reply of the server
 */
export async function tryMailServer(
  config: Config,
  to: string,
  onProgress: (event: { stage: MailStage; reply?: string }) => void,
): Promise<TryOutResult> {
  const signal = AbortSignal.timeout(ATTEMPT_SECONDS * 1000);
  let isEncrypted = false;
  try {
    const mail = await buildMessage({
      id: randomUUID(),
      host: mailHost(config.apiExternalUrl),
      from: { name: config.smtpSenderName, address: config.smtpAdminEmail },
      to,
      subject: 'Test mail from Latchkey',
      html: `<p>${WORDS}</p>\n`,
      text: `${WORDS}\n`,
      headers: [],
    });
    const session = await openFresh(smtpServerOf(config), signal, onProgress);
    isEncrypted = session.isEncrypted;
    signal.addEventListener('abort', () => session.destroy(`No answer within ${ATTEMPT_SECONDS} s`), { once: true });
    const reply = await session.send({ from: config.smtpAdminEmail, to }, mail, async () => undefined);
    session.quit();
    return { isEncrypted, failure: null, reply };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { isEncrypted, failure: error, reply: error.reply };
  }
}

const WORDS = 'This mail was sent by the command latchkey check smtp. Mails from your server reach this address.';
