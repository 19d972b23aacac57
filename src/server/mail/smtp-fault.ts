import { describeReply, MailError, type MailStage } from './failure.js';

/** An error as nodemailer makes it. */
export type SmtpFault = Error & { command?: string; response?: string | false; code?: string };

/** Stage of each command, for knowing what a connection died of. */
const STAGE_OF: readonly (readonly [RegExp, MailStage])[] = [
  [/^(EHLO|HELO)/, 'greeting'],
  [/^STARTTLS/, 'tls'],
  [/^AUTH/, 'auth'],
  [/^MAIL/, 'sender'],
  [/^RCPT/, 'recipient'],
  [/^DATA/, 'data'],
];

/** @returns undefined for what is not the beginning of a command */
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

/** @param current the stage to blame when the fault itself names none */
export function toMailError(fault: SmtpFault, current: MailStage): MailError {
  const reply = typeof fault.response === 'string' ? describeReply(fault.response) : null;
  const stage = stageOfCommand(fault.command) ?? current;
  // A 5xx to the mail is about the mail; one to the session is about us, and may be cured while the mail waits.
  const isAboutMail = stage === 'sender' || stage === 'recipient' || stage === 'data';
  const isFinal = isAboutMail && reply !== null && /^5/.test(reply);
  return new MailError(explain(fault, stage, reply), { stage, reply, isFinal, cause: fault });
}
