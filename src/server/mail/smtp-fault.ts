import { describeReply, MailError, type MailStage } from './mail-error.js';

/** An error of nodemailer. */
export type SmtpFault = Error & { command?: string; response?: string | false; code?: string };

const STAGE_OF: readonly (readonly [RegExp, MailStage])[] = [
  [/^(EHLO|HELO)/, 'greeting'],
  [/^STARTTLS/, 'tls'],
  [/^AUTH/, 'auth'],
  [/^MAIL/, 'sender'],
  [/^RCPT/, 'recipient'],
  [/^DATA/, 'data'],
];

/** @returns undefined for other text */
export function stageOfCommand(command: string | undefined): MailStage | undefined {
  return STAGE_OF.find(([pattern]) => pattern.test(command ?? ''))?.[1];
}

function explain(fault: SmtpFault, stage: MailStage, reply: string | null): string {
  if (reply !== null) {
    const refused = { sender: 'the sender', recipient: 'the recipient', data: 'the mail', auth: 'user or password' };
    return `The mail server refused ${refused[stage as keyof typeof refused] ?? 'to go on'}`;
  }
  if (stage === 'tls') return `No encrypted connection: ${describeReply(fault.message)}`;
  if (fault.code === 'ETIMEDOUT') return 'The mail server stopped answering';
  return describeReply(fault.message);
}

/** @param current the stage, unless the fault names a command */
export function toMailError(fault: SmtpFault, current: MailStage): MailError {
  const reply = typeof fault.response === 'string' ? describeReply(fault.response) : null;
  const stage = stageOfCommand(fault.command) ?? current;
  // A 5xx reply to MAIL, RCPT or DATA rejects this mail; others concern the connection, which an operator can mend.
  const isAboutMail = stage === 'sender' || stage === 'recipient' || stage === 'data';
  const isFinal = isAboutMail && reply !== null && /^5/.test(reply);
  return new MailError(explain(fault, stage, reply), { stage, reply, isFinal, cause: fault });
}
