/** The checks of `latchkey check`, run by operators: the same commands, with the configuration that a start would read. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type CheckRun,
  type CheckState,
  listCheckRuns,
  noteCheckProgress,
  type PrintedCheckRun,
  readCheckRun,
  startCheckRun,
} from '../../db/check-runs.js';
import { listSsoProviders } from '../../db/sso-providers.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { check as checkCommands } from '../checks/index.js';
import type { Command } from '../cli/types.js';
import { hideCredentials } from '../config/hide-credentials.js';
import { ConfigError } from '../config/load.js';
import { hookNames } from '../config/settings.js';
import { apiError } from '../errors.js';
import { mailKinds } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import { viewProviders } from './known-providers.js';
import { addressOf } from './operator-address.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

const LIMIT_SECONDS = 60;
/** A run that says nothing for longer has lost its process. */
const LOST_SECONDS = LIMIT_SECONDS + 15;
const PROGRESS_MS = 500;
const MAX_OUTPUT_CHARACTERS = 65_536;

const checkNames = Object.keys(checkCommands.commands);

/** What a check asks for. */
type Argument = 'none' | 'url' | 'provider' | 'hook' | 'mail' | 'sso';
const argumentOf: Readonly<Record<string, Argument>> = {
  redirect: 'url',
  provider: 'provider',
  hook: 'hook',
  smtp: 'mail',
  sso: 'sso',
};

export interface OfferedCheck {
  readonly name: string;
  /** One line of words. */
  readonly summary: string;
  readonly help: string;
  readonly argument: Argument;
  /** Null: any text. Empty: there is nothing to check. An empty choice: without it. */
  readonly choices: readonly string[] | null;
  /** The last run for each argument. */
  readonly runs: readonly CheckRun[];
}

/** @returns all checks with their last runs, without what they printed */
export async function listChecks(app: App): Promise<readonly OfferedCheck[]> {
  const runs = await listCheckRuns(app.db, LOST_SECONDS);
  return Promise.all(
    checkNames.map(async (name) => {
      const { summary, help } = await loadCheck(name);
      const argument = argumentOf[name] ?? 'none';
      return {
        ...{ name, summary, help, argument, choices: await choicesOf(app, argument) },
        runs: runs.filter((run) => run.name === name),
      };
    }),
  );
}

async function choicesOf(app: App, argument: Argument): Promise<readonly string[] | null> {
  const { config } = app;
  if (argument === 'url') return null;
  if (argument === 'hook') return hookNames.filter((name) => config.hooks[name].uri !== null);
  if (argument === 'mail') return ['', ...mailKinds];
  if (argument === 'none') return [];
  if (argument === 'sso') {
    const ids = (await listSsoProviders(app.db, null, null)).map(({ id }) => id);
    return ids.length === 0 ? [] : ['all', ...ids];
  }
  return (await viewProviders(app)).filter(({ enabled }) => enabled).map(({ name }) => name);
}

/** @throws ApiError checkUnknown */
async function loadCheck(name: string): Promise<Command> {
  if (!checkNames.includes(name)) throw apiError('checkUnknown');
  const command = await checkCommands.commands[name]!();
  if ('commands' in command) throw new Error(`latchkey check ${name} is a group`);
  return command;
}

/** @returns null: it never ran. @throws ApiError checkUnknown */
export async function readCheck(app: App, name: string, argument: string): Promise<PrintedCheckRun | null> {
  if (!checkNames.includes(name)) throw apiError('checkUnknown');
  return (await readCheckRun(app.db, name, argument, LOST_SECONDS)) ?? null;
}

/**
 * Starts a check in the background; readCheck shows its progress.
 * @throws ApiError checkUnknown, checkArgument, checkRunning, operatorHasNoAddress
 */
export async function startCheck(app: App, deed: OperatorDeed, name: string, argument: string): Promise<void> {
  const command = await loadCheck(name);
  const kind = argumentOf[name] ?? 'none';
  const choices = await choicesOf(app, kind);
  const isRight = kind === 'none' ? argument === '' : choices === null ? argument !== '' : choices.includes(argument);
  if (!isRight) throw apiError('checkArgument');
  const args = argumentsOf(kind, argument, deed);
  const audit = [operatorEntry(deed, 'check_started', { check: name, argument })];
  const run = { name, argument, runId: randomUUID(), operator_name: deed.operator.name, host: hostname() };
  if (!(await startCheckRun(app.db, { ...run, audit: storedAudit(app, audit) }, LOST_SECONDS))) {
    throw apiError('checkRunning');
  }
  logAudit(app, deed.requestId, audit);
  void runCheck(app, run, command, args).catch((error: unknown) => {
    app.log.warn({ component: 'console', check: name, error: String(error) }, 'A check could not be written down');
  });
}

type Arguments = Pick<Parameters<Command['run']>[0], 'values' | 'positionals'>;

/** @throws ApiError operatorHasNoAddress */
function argumentsOf(kind: Argument, argument: string, { operator }: OperatorDeed): Arguments {
  if (kind === 'none') return { values: {}, positionals: [] };
  if (kind !== 'mail') return { values: {}, positionals: [argument] };
  // Nobody else gets a mail from here.
  const to = addressOf(operator);
  if (to === null) throw apiError('operatorHasNoAddress');
  return { values: { to, ...(argument !== '' && { kind: argument }) }, positionals: [] };
}

async function runCheck(
  app: App,
  run: { readonly name: string; readonly argument: string; readonly runId: string },
  command: Command,
  args: Arguments,
): Promise<void> {
  let printed = '';
  let noted = '';
  const print = (text: string): void => {
    printed = (printed + hideCredentials(text)).slice(0, MAX_OUTPUT_CHARACTERS);
  };
  const timer = setInterval(() => {
    if (printed === noted) return;
    noted = printed;
    noteCheckProgress(app.db, run, printed, 'running').catch(() => undefined);
  }, PROGRESS_MS);
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    limit = setTimeout(() => resolve('late'), LIMIT_SECONDS * 1000).unref();
  });
  const { environment, ...configFiles } = app.settingSources;
  const io = { environment, out: print, err: print };
  const ended = command.run({ ...args, configFiles }, io).then(stateOf, (error: unknown) => {
    print(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? ('impossible' as const) : ('failed' as const);
  });
  const state = await Promise.race([ended, late]);
  clearInterval(timer);
  clearTimeout(limit);
  if (state === 'late') print(`\nIt was given up after ${LIMIT_SECONDS} seconds.\n`);
  await noteCheckProgress(app.db, run, printed, state);
}

/** @param code exit code of the command */
const stateOf = (code: number): Exclude<CheckState, 'running' | 'late' | 'lost'> =>
  code === 0 ? 'passed' : code === 1 ? 'failed' : 'impossible';
