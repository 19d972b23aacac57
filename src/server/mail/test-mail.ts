import { randomUUID } from 'node:crypto';
import type { Config } from '../config/settings.js';
import type { ComposedMail } from './compose.js';
import { MailError } from './mail-error.js';
import { connectToServer } from './smtp-pool.js';
import type { ProgressListener } from './smtp-session.js';
import { mailHost, smtpServerOf } from './smtp-settings.js';

export interface TestMailResult {
  readonly isEncrypted: boolean;
  /** Null: the mail server accepted the mail. */
  readonly failure: MailError | null;
  /** The server's last reply, on one line. */
  readonly reply: string | null;
}

const ATTEMPT_SECONDS = 15;

/**
 * Sends one mail as the server does, and reports every stage and reply. An error of the mail server is a result.
 * @param content default: a sentence that says where it comes from
 */
export async function sendTestMail(
  config: Config,
  to: string,
  onProgress: ProgressListener,
  content: ComposedMail = usualContent,
  attemptSeconds = ATTEMPT_SECONDS,
): Promise<TestMailResult> {
  const signal = AbortSignal.timeout(attemptSeconds * 1000);
  let isEncrypted = false;
  try {
    const { buildMessage } = await import('./mime-message.js');
    const mail = await buildMessage({
      id: randomUUID(),
      host: mailHost(config.apiExternalUrl),
      from: { name: config.smtpSenderName, address: config.smtpAdminEmail },
      to,
      ...content,
      headers: [],
    });
    const session = await connectToServer(smtpServerOf(config), signal, onProgress);
    isEncrypted = session.isEncrypted;
    signal.addEventListener('abort', () => session.destroy(`No answer within ${attemptSeconds} s`), { once: true });
    const reply = await session.send({ from: config.smtpAdminEmail, to }, mail, async () => undefined);
    session.quit();
    return { isEncrypted, failure: null, reply };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { isEncrypted, failure: error, reply: error.reply };
  }
}

/**
 * Greets, encrypts and signs in, and sends nothing. An error of the mail server is a result.
 * @returns null: the mail server would take mails
 */
export async function tryMailServer(config: Config, attemptSeconds: number): Promise<MailError | null> {
  try {
    const session = await connectToServer(smtpServerOf(config), AbortSignal.timeout(attemptSeconds * 1000));
    session.quit();
    return null;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return error;
  }
}

const WORDS = 'This mail was sent to try the mail server. Mails from your server reach this address.';

const usualContent: ComposedMail = {
  subject: 'Test mail from Latchkey',
  html: `<p>${WORDS}</p>\n`,
  text: `${WORDS}\n`,
};
