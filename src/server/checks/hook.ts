import { findUserById } from '../../db/admin-users.js';
import { readUuid } from '../../db/uuid.js';
import { viewExampleUser } from '../accounts/new-user-hook.js';
import { viewUser } from '../accounts/user-view.js';
import { loadConfiguration } from '../cli/configuration.js';
import { withDatabase } from '../cli/database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../cli/types.js';
import { parseHookSecrets } from '../config/parse-hooks.js';
import { type HookName, hookNames } from '../config/settings.js';
import { hookFunctions } from '../hooks/index.js';
import { listenForHooks } from '../hooks/listener.js';
import { hookEvents } from '../hooks/rehearse.js';
import { type RehearsalStep, rehearseCall } from '../hooks/rehearse-call.js';

export const checkHook: Command = {
  summary: 'Call a hook with an example and judge its answer, or receive calls',
  help: `Calls the hook NAME (custom_access_token, send_email, ...) of the configuration as a request would, and prints the request,
its signature, the answer, the time, and what the answer leads to. Nothing is stored; the receiver may act on the example. With
--listen it receives calls on this machine instead, verifies and prints them, and lets everything continue.
Exits with 1 if the call failed, and with 2 if it could not be tried.`,
  options: {
    event: {
      type: 'string',
      argument: 'EVENT',
      doc: 'what causes the call, e.g. recovery for send_email, mfa for send_sms',
    },
    user: { type: 'string', argument: 'ID', doc: 'the account in the input (default: an example)' },
    dry: { type: 'boolean', doc: 'print the request without sending it' },
    listen: { type: 'string', argument: 'PORT', doc: 'receive calls on this port of 127.0.0.1' },
    secret: { type: 'string', argument: 'SECRET', doc: 'with --listen: the secrets of the hook, v1,whsec_...' },
  },
  positionals: ['NAME'],
  run: (args, io) => (args.values['listen'] === undefined ? callHook(args, io) : listen(args, io)),
};

async function listen({ values }: CommandArguments, io: CommandIo): Promise<number> {
  const port = Number(values['listen']);
  const secrets = parseHookSecrets(String(values['secret'] ?? ''));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return refuse(io, '--listen takes a port');
  if ('fault' in secrets) return refuse(io, `--secret ${secrets.fault}`);
  const listener = await listenForHooks(port, secrets.value, io.out);
  io.out(`Receiving hooks at ${listener.url} until Ctrl-C.\n\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  listener.close();
  return EXIT.ok;
}

async function callHook(args: CommandArguments, io: CommandIo): Promise<number> {
  const { values, positionals, configFiles } = args;
  const wanted = (positionals[0] ?? '').toLowerCase().replaceAll('-', '_');
  const name = hookNames.find((known) => known === wanted);
  if (name === undefined) return refuse(io, `which hook? There are ${hookNames.join(', ')}`);
  const events = hookEvents[name];
  const event = String(values['event'] ?? events[0]);
  if (!events.includes(event)) return refuse(io, `the events of ${name} are ${events.join(', ')}`);
  const { config } = await loadConfiguration({ configFiles }, io);
  const prefix = `AUTH_HOOK_${name.toUpperCase()}`;
  if (config.hooks[name].uri === null) return refuse(io, `${prefix}_URI is unset, so there is nothing to call`);
  if (!config.hooks[name].enabled) io.out(`note       ${prefix}_ENABLED is off: the server does not call it\n`);
  return rehearse(args, io, name, event);
}

async function rehearse(args: CommandArguments, io: CommandIo, name: HookName, event: string): Promise<number> {
  const userId = args.values['user'] as string | undefined;
  return withDatabase(args, io, async (db, config) => {
    const user = userId === undefined ? viewExampleUser({ config }) : await findUser(db, userId);
    if (user === undefined) return refuse(io, `there is no account ${userId}`);
    const settings = config.hooks[name];
    db.allowFunctions(hookFunctions({ hooks: { ...config.hooks, [name]: { ...settings, enabled: true } } }));
    const isDry = args.values['dry'] === true;
    const { verdict, durationMs, isRefused } = await rehearseCall({ name, event, config, db, user, isDry }, (step) =>
      io.out(renderStep(step)),
    );
    if (verdict !== null) io.out(`time       ${durationMs} ms\nverdict    ${verdict}\n`);
    return isRefused ? EXIT.failed : EXIT.ok;
  });
}

function renderStep(step: RehearsalStep): string {
  if (step.what === 'request') {
    const lines = Object.entries(step.headers).map(([key, value]) => `${key}: ${value}\n`);
    return `request    ${step.line}\n${lines.join('')}${JSON.stringify(step.body, null, 2)}\n`;
  }
  if (step.what === 'answer') return `answer     ${step.status} ${step.text}\n`;
  return `${step.what.padEnd(11)}${step.text}\n`;
}

/** @returns the user object; undefined: there is none */
async function findUser(db: Parameters<typeof findUserById>[0], id: string) {
  const uuid = readUuid(id);
  const row = uuid === null ? undefined : await findUserById(db, uuid);
  return row && viewUser(row);
}

function refuse(io: CommandIo, problem: string): number {
  io.err(`latchkey check hook: ${problem}.\n`);
  return EXIT.wrongUsage;
}
