import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres.js';
import { keepSecret } from '../../dev/kept-secret.js';
import { createMailbox, mailboxRoutes } from '../../dev/mailbox/index.js';
import { startScreen } from '../../dev/start-screen.js';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import { describeEngine } from '../http/engine.js';
import { runUntilStopped } from '../lifecycle.js';
import { startServer } from '../server.js';
import { type Log, openLog } from '../telemetry/log.js';
import { readSigningKey, signAdminToken } from './sign-admin-token.js';
import type { Command, CommandArguments, CommandIo } from './types.js';
import { readVersion } from './version.js';

export const dev: Command = {
  summary: 'Run everything on this machine, with its own Postgres',
  help: `Starts a Postgres from the development packages, keeps its data and a generated JWT secret in
.data/, and serves the API with readable logs. Mails and texts are not sent; /dev/mailbox
shows them. Addresses are confirmed automatically. Settings of the environment and of .env
take precedence over those of this command; with DATABASE_URL, no Postgres is started.`,
  options: {
    data: { type: 'string', argument: 'DIR', doc: 'where to keep the database and the secret (default .data)' },
  },
  async run(args, io) {
    const directory = resolve(String(args.values['data'] ?? '.data'));
    const fallback = { ...developmentSettings, AUTH_JWT_SECRET: keepSecret(directory) };
    const log = await openReadableLog({ level: 'info', file: '' });
    const database = await openDatabase(args, io, directory, fallback, log);
    try {
      const loaded = loadConfig({
        environment: io.environment,
        ...args.configFiles,
        fallback: { ...fallback, DATABASE_URL: database.url },
      });
      return await serveLoaded(loaded, io, database.label);
    } finally {
      await database.stop();
    }
  },
};

/** Required settings and conveniences for development. */
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
  AUTH_PASSWORD_COMMON_LIST: 'true',
  AUTH_PAGES_ENABLED: 'true',
  AUTH_OAUTH_SERVER_ENABLED: 'true',
  AUTH_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
  // No one receives these messages.
  AUTH_SMTP_MAX_FREQUENCY: '1',
  AUTH_SMS_MAX_FREQUENCY: '1',
};

/** Readable logs need a development package, which is not there where Latchkey was installed as a package. */
function openReadableLog(options: { level: string; file: string }): Promise<Log> {
  return openLog({ ...options, readable: options.file === '' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return openLog(options);
  });
}

async function openDatabase(
  args: CommandArguments,
  io: CommandIo,
  directory: string,
  fallback: Record<string, string>,
  log: Log,
) {
  const placeholder = { ...fallback, DATABASE_URL: 'postgres://127.0.0.1/latchkey' };
  // Also finds all other faults of the configuration before a database is started.
  const { sources } = loadConfig({ environment: io.environment, ...args.configFiles, fallback: placeholder });
  if (sources.get('databaseUrl')?.origin !== 'fallback') {
    return { url: undefined, label: 'the one DATABASE_URL names', stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({ directory: resolve(directory, 'postgres'), log });
  return { url: postgres.url, label: `its own Postgres, data in ${directory}`, stop: () => postgres.stop() };
}

async function serveLoaded({ config, notices }: LoadedConfig, io: CommandIo, databaseLabel: string): Promise<number> {
  const log = await openReadableLog({ level: config.logLevel, file: config.logFile });
  for (const { variable, message } of notices) log.warn({ component: 'config', variable }, message);
  try {
    const mailbox = createMailbox();
    const server = await startServer(config, readVersion(), log, {
      captureMail: mailbox.addMail,
      captureSms: ({ to, text, code, sentAt }) => mailbox.addSms({ to, text, code, sentAt }),
      routes: mailboxRoutes(mailbox, config.apiExternalUrl),
    });
    // From here on, waits for signals and for a failure of the schema.
    const stopped = runUntilStopped(server, log);
    const isMigrated = await Promise.race([
      server.migrated.then(
        () => true,
        () => false,
      ),
      stopped.then(() => false),
    ]);
    if (isMigrated) io.out(await describeServer(config, io, server.port, databaseLabel));
    return await stopped;
  } finally {
    log.flush();
  }
}

async function describeServer(
  config: LoadedConfig['config'],
  io: CommandIo,
  port: number,
  databaseLabel: string,
): Promise<string> {
  const role = config.jwtAdminRoles[0] ?? 'service_role';
  const token = await signAdminToken(
    { role, audience: config.jwtAudience, issuer: config.jwtIssuer, subject: null, expiresInSeconds: null },
    await readSigningKey(io, config),
    Math.floor(Date.now() / 1000),
  );
  const [version, engine] = [readVersion(), describeEngine()];
  return startScreen({ version, engine, url: `http://localhost:${port}`, databaseLabel, role, token });
}
