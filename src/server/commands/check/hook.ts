import { findUserById } from '../../../db/admin-users.js';
import { viewPlannedUser } from '../../accounts/new-user-hook.js';
import { viewUser } from '../../accounts/user-view.js';
import { loadConfig } from '../../config/load.js';
import { parseHookSecrets } from '../../config/parse-hooks.js';
import { type Config, type HookName, hookNames } from '../../config/settings.js';
import { ApiError } from '../../errors.js';
import { HookFailure } from '../../hooks/failure.js';
import { openHookCaller } from '../../hooks/hook-caller.js';
import type { HookTrace } from '../../hooks/http.js';
import { hookFunctions } from '../../hooks/index.js';
import { listenForHooks } from '../../hooks/listener.js';
import { hookEvents, rehearseHook } from '../../hooks/rehearse.js';
import { findSignatureFault } from '../../hooks/signature-check.js';
import { readUuid } from '../../uuid.js';
import { withDatabase } from '../database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../types.js';

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
  const { config } = loadConfig({ environment: io.environment, ...configFiles });
  const prefix = `AUTH_HOOK_${name.toUpperCase()}`;
  if (config.hooks[name].uri === null) return refuse(io, `${prefix}_URI is unset, so there is nothing to call`);
  if (!config.hooks[name].enabled) io.out(`note       ${prefix}_ENABLED is off: the server does not call it\n`);
  return rehearse(args, io, name, event);
}

/** Ends a rehearsal that sends nothing. */
class DryRun extends Error {}

async function rehearse(args: CommandArguments, io: CommandIo, name: HookName, event: string): Promise<number> {
  const userId = args.values['user'] as string | undefined;
  return withDatabase(args, io, async (db, config) => {
    const user = await findUser(db, config, userId);
    if (user === null) return refuse(io, `there is no account ${userId}`);
    const settings = config.hooks[name];
    db.allowFunctions(hookFunctions({ hooks: { ...config.hooks, [name]: { ...settings, enabled: true } } }));
    const warn = ({ reason, error }: { reason?: unknown; error?: unknown }): void => {
      io.out(`problem    ${String(reason ?? error ?? '')}\n`);
    };
    const log = { info: () => undefined, warn: warn as never, error: () => undefined };
    const caller = openHookCaller({
      name,
      settings,
      db,
      log,
      trace: printTo(io, config, name, args.values['dry'] === true),
    });
    const started = performance.now();
    const time = () => `time       ${Math.round(performance.now() - started)} ms\n`;
    try {
      const verdict = await rehearseHook(name, { caller, config, user, event, log });
      io.out(`${time()}verdict    ${verdict}\n`);
      return EXIT.ok;
    } catch (error) {
      if (error instanceof DryRun) return EXIT.ok;
      const shown = error instanceof HookFailure ? error.shown : error;
      if (!(shown instanceof ApiError)) throw error;
      io.out(`${time()}verdict    the client gets ${shown.status}: ${shown.message}\n`);
      return EXIT.failed;
    } finally {
      caller.close();
    }
  });
}

function printTo(io: CommandIo, config: Config, name: HookName, isDry: boolean): HookTrace {
  const secrets = config.hooks[name].secrets ?? [];
  const own = Object.keys(config.hooks[name].headers);
  return {
    request(line, headers, body) {
      const lines = Object.entries(headers).map(
        ([key, value]) => `${key}: ${own.includes(key) ? '(secret)' : value}\n`,
      );
      io.out(
        `request    ${line.replace(/\?.*/, '?(hidden)')}\n${lines.join('')}${JSON.stringify(JSON.parse(body), null, 2)}\n`,
      );
      if (config.hooks[name].uri?.kind === 'http') {
        const fault = secrets.length === 0 ? 'none: its secret is unset' : findSignatureFault(secrets, headers, body);
        io.out(`signature  ${fault ?? `genuine, with ${secrets.length} secret(s)`}\n`);
      }
      if (isDry) throw new DryRun();
    },
    answer({ status, text }) {
      io.out(`answer     ${status} ${text.slice(0, 2000)}\n`);
    },
  };
}

async function findUser(db: Parameters<typeof findUserById>[0], config: Config, id: string | undefined) {
  if (id === undefined) {
    const metadata = { appMetadata: { provider: 'email', providers: ['email'] }, userMetadata: {} };
    const example = { audience: config.jwtAudience, email: 'someone@example.com', phone: null };
    return viewPlannedUser({ config }, { ...example, ...metadata });
  }
  const uuid = readUuid(id);
  const row = uuid === null ? undefined : await findUserById(db, uuid);
  return row === undefined ? null : viewUser(row);
}

function refuse(io: CommandIo, problem: string): number {
  io.err(`latchkey check hook: ${problem}.\n`);
  return EXIT.wrongUsage;
}
