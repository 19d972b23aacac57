import { spellEmail } from '../accounts/addresses.js';
import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import type { Config } from '../config/load.js';
import { previewMail } from '../mail/compose.js';
import type { MailStage } from '../mail/mail-error.js';
import { isOneAddress } from '../mail/recipient.js';
import type { ProgressListener } from '../mail/smtp-session.js';
import { cureFor } from '../mail/stage-cures.js';
import { createTemplateSource } from '../mail/template-source.js';
import { sendTestMail } from '../mail/test-mail.js';
import { type MailKind, mailKinds } from '../message-kinds.js';
import { exampleMail } from '../outbox/examples.js';

export const checkSmtp: Command = {
  summary: 'Send a test mail and show each step',
  help: `Connects to the mail server of AUTH_SMTP_HOST like the server, shows each step with the reply of the mail server, and
sends one mail to the address of --to. Never prints the password. Exits with 1 if the mail was not accepted, and with
2 if it could not be tried.`,
  options: {
    to: { type: 'string', argument: 'ADDRESS', doc: 'who gets the test mail' },
    kind: {
      type: 'string',
      argument: 'KIND',
      doc: 'send a mail of this kind with example data, as recovery or magic_link',
    },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async ({ values, configFiles }, io) => {
    const to = spellEmail(String(values['to'] ?? ''));
    if (!isOneAddress(to)) {
      io.err('Say who gets the test mail: latchkey check smtp --to ADDRESS\n');
      return EXIT.wrongUsage;
    }
    const kind = mailKinds.find((known) => known === values['kind']);
    if (values['kind'] !== undefined && kind === undefined) {
      io.err(`There are mails of the kinds ${mailKinds.join(', ')}.\n`);
      return EXIT.wrongUsage;
    }
    const { config } = await loadConfiguration({ configFiles }, io);
    const missing =
      config.smtpHost === '' ? 'AUTH_SMTP_HOST' : config.smtpAdminEmail === '' ? 'AUTH_SMTP_ADMIN_EMAIL' : '';
    if (missing !== '') {
      io.err(`${missing} is unset, so no mail is sent: set it, for example in .env\n`);
      return EXIT.wrongUsage;
    }

    const asJson = values['json'] === true;
    const steps: { stage: MailStage; replies: string[] }[] = [];
    const say = (text: string): void => (asJson ? undefined : io.out(text));
    const content = kind === undefined ? undefined : await composeExample(config, kind, to, say);
    say(`mail server  ${config.smtpHost}, port ${config.smtpPort}\n`);
    const onProgress = ({ stage, reply }: Parameters<ProgressListener>[0]) => {
      if (steps.at(-1)?.stage !== stage) {
        steps.push({ stage, replies: [] });
        say(`${stage.padEnd(11)}  ${inWords[stage]}\n`);
      }
      if (reply === undefined) return;
      steps.at(-1)!.replies.push(reply);
      say(`${' '.repeat(13)}server: ${reply}\n`);
    };
    const result = await sendTestMail(config, to, onProgress, content);
    const { failure } = result;
    if (asJson) {
      const problem = failure === null ? {} : { failedAt: failure.stage, problem: failure.message };
      io.out(
        `${JSON.stringify({ ok: failure === null, encrypted: result.isEncrypted, steps, ...problem }, null, 2)}\n`,
      );
    } else if (failure === null) {
      const how = result.isEncrypted ? 'encrypted' : 'NOT encrypted: the mail server offers no STARTTLS';
      io.out(`\nThe mail server accepted the mail to ${to}; the connection was ${how}.\n`);
    } else {
      io.err(`\nNo mail was sent. ${failure.message}.\n${cureFor(failure.stage)}\n`);
    }
    return failure === null ? EXIT.ok : EXIT.failed;
  },
};

/** As it would be sent, with the data of an example. */
async function composeExample(config: Config, kind: MailKind, to: string, say: (text: string) => void) {
  const warn = ({ error }: { error?: string }, text: string) => say(`template     ${text}: ${error}\n`);
  const templates = createTemplateSource(config, { warn } as never);
  const data = { full_name: 'Ada Example' };
  const { problems, ...content } = await previewMail(
    { config, templates },
    exampleMail(config, kind, { to, email: to, data }),
  );
  for (const problem of problems) say(`template     ${problem}\n`);
  return content;
}

const inWords: Record<MailStage, string> = {
  open: 'preparing the mail',
  dns: 'looking up the name',
  connect: 'connecting',
  tls: 'encrypting',
  greeting: 'greeting',
  auth: 'signing in',
  sender: 'naming the sender',
  recipient: 'naming the recipient',
  data: 'handing over the mail',
};
