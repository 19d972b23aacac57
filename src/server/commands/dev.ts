import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres.js';
import { keepSecret } from '../../dev/kept-secret.js';
import { createMailbox, mailboxRoutes } from '../../dev/mailbox/index.js';
import { startScreen } from '../../dev/start-screen.js';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import { runUntilStopped } from '../lifecycle.js';
import { startServer } from '../server.js';
import { type Log, openLog } from '../telemetry/log.js';
import { signAdminToken } from './sign-admin-token.js';
import type { Command, CommandArguments, CommandIo } from './types.js';
import { readVersion } from './version.js';

export const dev: Command = {
  summary: 'Run everything on this machine, with a Postgres of its own',
  help: `Starts a Postgres that comes with the development packages, keeps its data and a generated
JWT secret in .data/, and serves the API with readable logs. Mails and texts do not leave:
/dev/mailbox shows them. Addresses confirm themselves. Every setting that is set, in the environment or in .env, wins over
what this command fills in; with DATABASE_URL set, no Postgres is started.`,
  options: {
    data: { type: 'string', argument: 'DIR', doc: 'where to keep the database and the secret (default .data)' },
  },
  async run(args, io) {
    const directory = resolve(String(args.values['data'] ?? '.data'));
    const fallback = { ...developmentSettings, AUTH_JWT_SECRET: keepSecret(directory) };
    const log = await openLog({ level: 'info', file: '', readable: true });
    const database = await openDatabase(args, io, directory, fallback, log);
    try {
      const loaded = loadConfig({
        environment: io.environment,
        file: args.configFile,
        fallback: { ...fallback, DATABASE_URL: database.url },
      });
      return await serveLoaded(loaded, io, database.label);
    } finally {
      await database.stop();
    }
  },
};

/** What a person who only wants to look would have to set. */
const developmentSettings = {
  AUTH_DB_DRIVER: 'postgres',
  AUTH_SITE_URL: 'http://localhost:3000',
  AUTH_API_EXTERNAL_URL: 'http://localhost:8081',
  AUTH_API_HOST: '127.0.0.1',
  AUTH_MAILER_AUTOCONFIRM: 'true',
  AUTH_SMS_AUTOCONFIRM: 'true',
  AUTH_EXTERNAL_PHONE_ENABLED: 'true',
  AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  AUTH_SMS_PROVIDER: 'log',
  // Nobody is flooded by a mailbox on this machine.
  AUTH_SMTP_MAX_FREQUENCY: '1',
  AUTH_SMS_MAX_FREQUENCY: '1',
};

async function openDatabase(
  args: CommandArguments,
  io: CommandIo,
  directory: string,
  fallback: Record<string, string>,
  log: Log,
) {
  const placeholder = { ...fallback, DATABASE_URL: 'postgres://127.0.0.1/latchkey' };
  // Also finds every other fault of the configuration before a database is started for nothing.
  const { sources } = loadConfig({ environment: io.environment, file: args.configFile, fallback: placeholder });
  if (sources.get('databaseUrl')?.origin !== 'fallback') {
    return { url: undefined, label: 'the one DATABASE_URL names', stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({ directory: resolve(directory, 'postgres'), log });
  return { url: postgres.url, label: `a Postgres of its own, kept in ${directory}`, stop: () => postgres.stop() };
}

async function serveLoaded({ config, notices }: LoadedConfig, io: CommandIo, databaseLabel: string): Promise<number> {
  const log = await openLog({ level: config.logLevel, file: config.logFile, readable: config.logFile === '' });
  for (const { variable, message } of notices) log.warn({ component: 'config', variable }, message);
  try {
    const mailbox = createMailbox();
    const server = await startServer(config, readVersion(), log, {
      captureMail: mailbox.addMail,
      captureSms: ({ to, text, code, sentAt }) => mailbox.addSms({ to, text, code, sentAt }),
      routes: mailboxRoutes(mailbox, config.apiExternalUrl),
    });
    // Signals, and a schema that cannot be brought up to date, are waited for from now on.
    const stopped = runUntilStopped(server, log);
    const isMigrated = await Promise.race([
      server.migrated.then(
        () => true,
        () => false,
      ),
      stopped.then(() => false),
    ]);
    if (isMigrated) io.out(await describeServer(config, server.port, databaseLabel));
    return await stopped;
  } finally {
    log.flush();
  }
}

async function describeServer(config: LoadedConfig['config'], port: number, databaseLabel: string): Promise<string> {
  const role = config.jwtAdminRoles[0] ?? 'service_role';
  const token = await signAdminToken(
    { role, audience: config.jwtAudience, issuer: config.jwtIssuer, subject: null, expiresInSeconds: null },
    config.jwtSecret,
    config.jwtKeyId,
    Math.floor(Date.now() / 1000),
  );
  return startScreen({ version: readVersion(), url: `http://localhost:${port}`, databaseLabel, role, token });
}
