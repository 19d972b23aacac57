/** The checks of `latchkey check` on a new .env. */
import { check } from '../../checks/index.js';
import { type Command, type CommandIo, EXIT } from '../../cli/types.js';
import type { Answers } from './answers.js';

interface NewCheck {
  /** Name of the check, and what comes after it. */
  readonly words: readonly [name: string, ...positionals: string[]];
  readonly values?: Readonly<Record<string, string | boolean>>;
  /** What it prints is worth reading although nothing is wrong. */
  readonly isShown?: boolean;
  /** The server works although it fails. */
  readonly isAdvice?: boolean;
}

export interface ChecksOptions {
  /** The .env. */
  readonly file: string;
  /** Who gets the test mail; undefined: the From address. */
  readonly mailTo: string | undefined;
  /** Only those that need no network. */
  readonly isOffline: boolean;
}

/** Prints a line for each check, and the whole of those that fail. @returns whether all have passed */
export async function runChecks(io: CommandIo, answers: Answers, options: ChecksOptions): Promise<boolean> {
  let isWell = await reportConfig(io, options);
  for (const { words, values = {}, isShown = false, isAdvice = false } of isWell ? checksOf(answers, options) : []) {
    const { isGood, text } = await runCheck(io, words, values, options.file);
    io.out(`${isGood ? 'ok    ' : 'failed'}  latchkey check ${words.join(' ')}\n`);
    if (!isGood || isShown)
      io.out(
        text
          .trim()
          .replace(/^(?=.)/gm, '          ')
          .concat('\n'),
      );
    isWell &&= isGood || isAdvice;
  }
  return isWell;
}

function checksOf({ siteUrl, providers, mail, launcher }: Answers, { mailTo, isOffline }: ChecksOptions): NewCheck[] {
  const local: NewCheck[] = [{ words: ['redirect', siteUrl] }, { words: ['keys'] }, { words: ['templates'] }];
  if (isOffline) return local;
  return [
    ...local,
    ...(mail === null ? [] : mailChecks(mailTo ?? mail.from)),
    ...providers.map(({ name }): NewCheck => ({ words: ['provider', name], isShown: true })),
    // The Postgres of the compose file does not run yet.
    ...(launcher === 'compose' ? [] : ([{ words: ['db'] }, { words: ['clock'] }] satisfies NewCheck[])),
  ];
}

/** A record that is missing keeps nothing from starting, but it is to be seen. */
const mailChecks = (to: string): NewCheck[] => [
  { words: ['smtp'], values: { to } },
  { words: ['mail'], isShown: true, isAdvice: true },
];

/** With its notices: they say what does not work yet. */
async function reportConfig(io: CommandIo, { file }: ChecksOptions): Promise<boolean> {
  const { isGood, text } = await runCheck(io, ['config'], { json: true }, file);
  io.out(`${isGood ? 'ok    ' : 'failed'}  latchkey check config\n`);
  const found = JSON.parse(text) as {
    readonly notices?: readonly { readonly message: string }[];
    readonly faults?: readonly { readonly variable: string; readonly problem: string }[];
  };
  for (const { message } of found.notices ?? []) io.out(`          ${message}\n`);
  for (const { variable, problem } of found.faults ?? []) io.out(`          ${variable} ${problem}\n`);
  return isGood;
}

/** The file counts, since the server will not have the environment of this shell; but who answers for the DNS may differ here. */
async function runCheck(
  { environment: { AUTH_DNS_SERVERS } }: CommandIo,
  [name, ...positionals]: NewCheck['words'],
  values: NonNullable<NewCheck['values']>,
  file: string,
) {
  const command = (await check.commands[name]!()) as Command;
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const quiet: CommandIo = {
    environment: { AUTH_DNS_SERVERS },
    out: print,
    err: values['json'] === true ? () => undefined : print,
  };
  try {
    const code = await command.run({ values, positionals, configFiles: { file, directory: undefined } }, quiet);
    return { isGood: code === EXIT.ok, text: printed.join('') };
  } catch (error) {
    return { isGood: false, text: `${printed.join('')}${(error as Error).message}\n` };
  }
}
