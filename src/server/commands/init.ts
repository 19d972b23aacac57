import { join, resolve } from 'node:path';
import { type Prompt, PromptEndedError } from '../cli/prompt.js';
import { type Command, type CommandIo, EXIT } from '../cli/types.js';
import type { Answers } from './init/answers.js';
import { findUnitFault, renderCaddyfile, renderComposeFile, renderUnitFile } from './init/deploy-texts.js';
import { renderEnvText } from './init/env-text.js';
import { openInterview } from './init/interview.js';
import { type NewFile, refuseExisting, writeWhole } from './init/new-files.js';
import { renderNextCommands } from './init/next-commands.js';
import { askAll } from './init/questions.js';
import { parseLauncher } from './init/rules.js';
import { runChecks } from './init/run-checks.js';

export const init: Command = {
  summary: 'Ask five questions, and write the files of a first deployment',
  help: `Asks for the site, the mail server, identity providers, the hosted pages and the first operator. Writes .env with
generated secrets (readable by its owner only, and never printed), a Caddyfile, and compose.yaml or latchkey.service.
Then runs the checks of latchkey check, and prints the next command. Files that exist stay as they are, unless --force is
given. Nothing is written before the last answer.

Without a terminal, flags answer. Secrets come from the environment under the names of their settings: AUTH_SMTP_PASS,
AUTH_EXTERNAL_GOOGLE_SECRET, DATABASE_URL for systemd, and so on. Exits with 0, with 1 if a check has failed, and with 2 if
an answer is missing or wrong.`,
  options: {
    for: { type: 'string', argument: 'LAUNCHER', doc: 'compose, with Postgres and TLS (default), or systemd' },
    dir: { type: 'string', argument: 'DIR', doc: 'where the files go (default: here)' },
    site: { type: 'string', argument: 'URL', doc: 'address of your site' },
    domain: {
      type: 'string',
      argument: 'HOST',
      doc: 'host name of the server (default: auth. and the domain of the site)',
    },
    mail: { type: 'string', argument: 'SERVER', doc: 'smtp://USER@HOST:PORT, or none' },
    from: { type: 'string', argument: 'ADDRESS', doc: 'From address of mails (default: no-reply@ and the domain)' },
    providers: { type: 'string', argument: 'LIST', doc: 'google=CLIENT_ID,github=CLIENT_ID, or none' },
    pages: { type: 'string', argument: 'NAME', doc: 'name of your service on the hosted pages, or no' },
    operator: { type: 'string', argument: 'NAME', doc: 'first operator of the console, or none' },
    image: { type: 'string', argument: 'IMAGE', doc: 'for compose: image of a registry, in place of a build' },
    'mail-to': { type: 'string', argument: 'ADDRESS', doc: 'who gets the test mail (default: the From address)' },
    'skip-checks': { type: 'boolean', doc: 'only the checks that need no network' },
    yes: { type: 'boolean', doc: 'ask nothing, and take the default of what is not given' },
    force: { type: 'boolean', doc: 'replace files that exist' },
  },
  async run({ values }, io) {
    const directory = resolve(String(values['dir'] ?? '.'));
    // Before the questions, whose answers would be lost.
    const launcher = parseLauncher(String(values['for'] ?? 'compose'));
    if (values['force'] !== true && 'value' in launcher) refuseExisting(pathsOf(directory, launcher.value));
    const prompt = values['yes'] === true ? undefined : io.openPrompt?.();
    let answers: Answers | null;
    try {
      answers = await readAnswers(values, io, prompt);
    } catch (error) {
      if (!(error instanceof PromptEndedError)) throw error;
      io.err('\nNothing has been written.\n');
      return EXIT.failed;
    } finally {
      prompt?.close();
    }
    if (answers === null) return EXIT.wrongUsage;
    const paths = writeWhole(
      filesOf(answers, directory, values['image'] as string | undefined),
      values['force'] === true,
    );
    io.out(`\nWritten:\n${paths.map((path) => `  ${path}\n`).join('')}\n`);
    const fault = answers.launcher === 'systemd' ? findUnitFault(directory) : null;
    if (fault !== null) io.err(`${fault}\n\n`);
    const isWell = await runChecks(io, answers, {
      file: join(directory, '.env'),
      mailTo: values['mail-to'] as string | undefined,
      isOffline: values['skip-checks'] === true,
    });
    io.out(renderNextCommands(answers, { directory, isPulled: values['image'] !== undefined, isWell }));
    return isWell ? EXIT.ok : EXIT.failed;
  },
};

type Values = Parameters<Command['run']>[0]['values'];

/** @returns null, after a message, where an answer is missing or wrong and no person can be asked */
async function readAnswers(values: Values, io: CommandIo, prompt: Prompt | undefined): Promise<Answers | null> {
  const interview = openInterview({ prompt, takesDefaults: values['yes'] === true });
  const answers = await askAll(interview, values, io);
  if (answers !== undefined) return answers;
  const lines = interview.problems.map((problem) => `  ${problem.replace(/: +(?:\d of 5 +)?/, ': ')}\n`);
  const cure =
    values['yes'] === true ? '' : 'There is no terminal to ask at. --yes takes the default where there is one.\n';
  io.err(`latchkey init: nothing has been written.\n${lines.join('')}${cure}`);
  return null;
}

const pathsOf = (directory: string, launcher: Answers['launcher']): string[] =>
  ['.env', 'Caddyfile', launcher === 'compose' ? 'compose.yaml' : 'latchkey.service'].map((name) =>
    join(directory, name),
  );

function filesOf(answers: Answers, directory: string, image: string | undefined): NewFile[] {
  const [env = '', caddy = '', start = ''] = pathsOf(directory, answers.launcher);
  const hasConsole = answers.operator !== null;
  return [
    { path: env, mode: 0o600, text: renderEnvText(answers) },
    { path: caddy, mode: 0o644, text: renderCaddyfile(answers.domain) },
    {
      ...{ path: start, mode: 0o644 },
      text: answers.launcher === 'compose' ? renderComposeFile({ image, hasConsole }) : renderUnitFile(env),
    },
  ];
}
