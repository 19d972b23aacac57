import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import type { Config } from '../config/load.js';
import { previewMail } from '../mail/compose.js';
import { createTemplateSource } from '../mail/template-source.js';
import { type MailKind, mailKinds, mailRow, type NoticeKind, noticeKinds, noticeTextOf } from '../message-kinds.js';
import { EXAMPLE_PHONE, exampleMail, exampleNoticeText } from '../outbox/examples.js';
import { composeText } from '../sms/compose-text.js';

const EMAIL = 'ada@example.com';
const DATA = { full_name: 'Ada Example' };
/** Of a mail or text: it says what is used instead, so a problem is no fault of the server. */
const quiet = { warn: () => undefined } as never;

export const checkTemplates: Command = {
  summary: 'Look for what does not work in the templates of mails and texts',
  help: `Fetches the templates of AUTH_MAILER_TEMPLATES_…, follows every way through each of them, and renders them, the subjects and
the texts with example data. Names the line, the construct that is not supported, and what to write instead. Sends
nothing. Exits with 1 if a template would be replaced by the built-in one.`,
  options: { json: { type: 'boolean', doc: 'print one JSON object' } },
  run: async ({ values, configFiles }, io) => {
    const { config } = await loadConfiguration({ configFiles }, io);
    const results = [...(await checkMails(config)), ...noticeKinds.flatMap((kind) => checkText(config, kind))];
    const isWell = results.every(({ problems }) => problems.length === 0);
    if (values['json'] === true) io.out(`${JSON.stringify({ ok: isWell, templates: results }, null, 2)}\n`);
    else {
      for (const { name, problems } of results) {
        io.out(`${problems.length === 0 ? 'ok     ' : 'refused'} ${name}\n`);
        for (const problem of problems) io.out(`          ${problem}\n`);
      }
      io.out(summaryOf(results.length, isWell));
    }
    return isWell ? EXIT.ok : EXIT.failed;
  },
};

interface Result {
  /** The settings that name it. */
  readonly name: string;
  readonly problems: readonly string[];
}

async function checkMails(config: Config): Promise<Result[]> {
  const templates = createTemplateSource(config, quiet);
  const own = mailKinds.filter((kind) => settingsOf(config, kind).length > 0);
  return Promise.all(
    own.map(async (kind) => {
      const message = exampleMail(config, kind, { to: EMAIL, email: EMAIL, data: DATA });
      const { problems } = await previewMail({ config, templates }, message);
      return { name: settingsOf(config, kind).join(', '), problems };
    }),
  );
}

/** @returns the settings of a mail that are not the defaults */
function settingsOf({ mails }: Config, kind: MailKind): string[] {
  const { template, subject } = mails[kind];
  return [
    ...(template === '' ? [] : [`AUTH_MAILER_TEMPLATES_${kind.toUpperCase()}`]),
    ...(subject === mailRow(kind).subject ? [] : [`AUTH_MAILER_SUBJECTS_${kind.toUpperCase()}`]),
  ];
}

function checkText(config: Config, kind: NoticeKind): Result[] {
  if (config.texts[kind].template === noticeTextOf(kind)) return [];
  const problems: string[] = [];
  const warn = ({ error }: { error?: string }, text: string) => problems.push(`${text}: ${error}`);
  composeText(config, { warn } as never, exampleNoticeText(kind, { to: EXAMPLE_PHONE, data: DATA }));
  return [{ name: `AUTH_SMS_TEMPLATES_${kind.toUpperCase()}`, problems }];
}

function summaryOf(count: number, isWell: boolean): string {
  if (count === 0) return 'All templates are the built-in ones.\n';
  return isWell ? '\nEvery template works.\n' : '\nCorrect what is refused; until then the built-in ones are sent.\n';
}
