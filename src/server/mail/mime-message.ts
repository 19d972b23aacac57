import MailComposer from 'nodemailer/lib/mail-composer';
import { MailError } from './mail-error.js';

/** A mail without its envelope. */
export interface MimeMail {
  readonly id: string;
  /** The right side of the Message-ID. */
  readonly host: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

// nodemailer writes these headers; a setting must not contradict them.
const OWN_HEADERS = /^(to|cc|bcc|subject|message-id|mime-version|content-.*)$/i;
/** No out-of-office reply: to programs that follow RFC 3834, and to Microsoft Exchange. AUTH_SMTP_HEADERS may say otherwise. */
const AUTOMATIC_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
const FORBIDDEN = /[\0\r\n]/;

/**
 * @returns the MIME message, with CRLF at the end of each line
 * @throws MailError when a header contains CR, LF or NUL (SEC-43)
 */
export async function buildMessage(mail: MimeMail): Promise<Buffer> {
  const custom = mail.headers.filter(([name]) => !OWN_HEADERS.test(name));
  const values = [mail.id, mail.host, mail.from.name, mail.from.address, mail.to, mail.subject, ...custom.flat()];
  if (values.some((value) => FORBIDDEN.test(value))) {
    throw new MailError('A header would contain a line break or NUL', { stage: 'open', isFinal: true });
  }
  const message = new MailComposer({
    from: mail.from,
    to: { name: '', address: mail.to },
    subject: mail.subject,
    messageId: `<${mail.id}@${mail.host}>`,
    date: new Date(),
    headers: AUTOMATIC_HEADERS,
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
