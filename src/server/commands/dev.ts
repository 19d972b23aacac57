import { resolve } from 'node:path';
import { migrate } from '../../db/migrate.js';
import { prefixOf } from '../../db/statements.js';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres.js';
import { keepSecret, keepText } from '../../dev/kept-secret.js';
import { createMailbox, mailboxRoutes } from '../../dev/mailbox/index.js';
import { startScreen } from '../../dev/start-screen.js';
import { withDatabaseOf } from '../cli/database.js';
import type { Command, CommandArguments, CommandIo } from '../cli/types.js';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../config/load.js';
import { makeSignInLink } from '../console/operator-accounts.js';
import { describeEngine } from '../http/engine.js';
import { describeTokenKey, generateTokenKey } from '../keys/generate.js';
import { importKeys } from '../keys/rotation.js';
import { openKeyStore, secretTokenKey } from '../keys/stored-keys.js';
import type { Development } from '../runtime/development.js';
import { runUntilStopped } from '../runtime/lifecycle.js';
import { startServer } from '../runtime/server.js';
import { type Log, openLog } from '../telemetry/log.js';
import { readSigningKey, signAdminToken } from './sign-admin-token.js';
import { readVersion } from './version.js';

export const dev: Command = {
  summary: 'Run everything on this machine, with its own Postgres',
  help: `Starts a Postgres from the development packages, keeps its data, a generated JWT secret and a
signing key in .data/, and serves the API with readable logs. Mails and texts are not sent; /dev/mailbox
shows them. Addresses are confirmed automatically. Settings of the environment and of .env
take precedence over those of this command; with DATABASE_URL, no Postgres is started.`,
  options: {
    data: { type: 'string', argument: 'DIR', doc: 'where to keep the database and the keys (default .data)' },
  },
  async run(args, io) {
    const directory = resolve(String(args.values['data'] ?? '.data'));
    const log = await openReadableLog({ level: 'info', file: '' });
    const { fallback, sources } = readFallback(args, io, directory);
    const database = await openDatabase(sources, directory, log);
    try {
      const given = { ...fallback, DATABASE_URL: database.url };
      const storesKeys = database.url !== undefined && given.AUTH_JWT_KEYS !== undefined;
      const settings = storesKeys ? await storeTokenKeys(sourcesOf(args, io, given), io, given) : given;
      return await serveLoaded(sourcesOf(args, io, settings), io, database.label);
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
  // Applications of this machine, whatever their port.
  AUTH_URI_ALLOW_LIST: 'http://localhost:*/**',
  AUTH_API_HOST: '127.0.0.1',
  AUTH_MAILER_AUTOCONFIRM: 'true',
  AUTH_SMS_AUTOCONFIRM: 'true',
  AUTH_EXTERNAL_PHONE_ENABLED: 'true',
  AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  AUTH_SMS_PROVIDER: 'log',
  AUTH_PASSWORD_COMMON_LIST: 'true',
  AUTH_PAGES_ENABLED: 'true',
  AUTH_PAGES_NAME: 'Latchkey',
  // The relying party is this machine, whose pages may use passkeys and security keys without TLS.
  AUTH_PASSKEY_ENABLED: 'true',
  AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
  AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
  AUTH_MFA_PHONE_ENROLL_ENABLED: 'true',
  AUTH_MFA_PHONE_VERIFY_ENABLED: 'true',
  AUTH_WEBAUTHN_RP_ID: 'localhost',
  AUTH_WEBAUTHN_RP_DISPLAY_NAME: 'Latchkey',
  AUTH_WEBAUTHN_RP_ORIGINS: 'http://localhost:3000',
  AUTH_OAUTH_SERVER_ENABLED: 'true',
  AUTH_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
  AUTH_OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  // Receivers of webhooks and hooks run on the same machine.
  AUTH_OUTBOUND_PRIVATE_HOSTS: 'localhost,127.0.0.1',
  // No one receives these messages.
  AUTH_SMTP_MAX_FREQUENCY: '1',
  AUTH_SMS_MAX_FREQUENCY: '1',
};

type Fallback = Readonly<Record<string, string | undefined>>;

const sourcesOf = (args: CommandArguments, io: CommandIo, fallback: Fallback): ConfigSources => ({
  ...{ environment: io.environment, ...args.configFiles, fallback },
});

/**
 * What is used where the user has set nothing, except for the database.
 * @returns with the source of each setting
 * @throws ConfigError with all faults, before a database is started
 */
function readFallback(args: CommandArguments, io: CommandIo, directory: string) {
  const secret = keepSecret(directory);
  const fallback: Fallback = { ...developmentSettings, AUTH_JWT_SECRET: secret };
  const placeholder = { ...fallback, DATABASE_URL: 'postgres://127.0.0.1/latchkey' };
  const { sources, config } = loadConfig(sourcesOf(args, io, placeholder));
  const isGiven = (path: string) => !['fallback', 'default'].includes(sources.get(path)!.origin);
  // A user who has chosen keys, or a secret that other services share, keeps what signs.
  const isKeyGiven = ['jwtSecret', 'jwtKeys', 'jwtKeysSource', 'jwtValidMethods'].some(isGiven);
  return {
    fallback: {
      ...fallback,
      ...(!isKeyGiven && { AUTH_JWT_KEYS: keepTokenKeys(directory, secret) }),
      // Pages of the application, and the hosted ones.
      AUTH_WEBAUTHN_RP_ORIGINS: `${developmentSettings.AUTH_WEBAUTHN_RP_ORIGINS},http://localhost:${config.port}`,
      // The port after that of the API, if that is known.
      ...(config.port > 0 && config.port < 65_535 && { AUTH_CONSOLE_PORT: String(config.port + 1) }),
    },
    sources,
  };
}

/** An ES256 key signs, since ID tokens need one; the secret still verifies what it has signed. @returns AUTH_JWT_KEYS */
function keepTokenKeys(directory: string, jwtSecret: string): string {
  const make = () => JSON.stringify(describeTokenKey(generateTokenKey('ES256', null)));
  const earlier = describeTokenKey({ ...secretTokenKey({ jwtSecret, jwtKeyId: '' }), signs: false });
  return JSON.stringify([JSON.parse(keepText(directory, 'signing-key.json', make)), earlier]);
}

/**
 * Puts the keys into the own database, where the console and `latchkey keys` change them. Those that are there stay as they
 * are, so a rotated key stays rotated after a restart.
 * @param given settings with the keys. @returns the settings that read them from the database
 */
async function storeTokenKeys(sources: ConfigSources, io: CommandIo, given: Fallback): Promise<Fallback> {
  const { config } = loadConfig(sources);
  await migrate({ url: config.databaseUrl, prefix: prefixOf(config.dbNamespace) });
  await withDatabaseOf(config, io, (db) => importKeys(openKeyStore(db, config), config.jwtKeys));
  return { ...given, AUTH_JWT_KEYS: undefined, AUTH_JWT_KEYS_SOURCE: 'database' };
}

/** Operator of the console whom the link of the start screen signs in. */
const DEVELOPER = 'developer';

/** Readable logs need a development package, which is not there where Latchkey was installed as a package. */
function openReadableLog(options: { level: string; file: string }): Promise<Log> {
  return openLog({ ...options, readable: options.file === '' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return openLog(options);
  });
}

async function openDatabase(sources: LoadedConfig['sources'], directory: string, log: Log) {
  if (sources.get('databaseUrl')?.origin !== 'fallback') {
    return { url: undefined, label: 'the one DATABASE_URL names', stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({ directory: resolve(directory, 'postgres'), log });
  return { url: postgres.url, label: `its own Postgres, data in ${directory}`, stop: () => postgres.stop() };
}

/** @throws ConfigError with all faults */
async function serveLoaded(settingSources: ConfigSources, io: CommandIo, databaseLabel: string): Promise<number> {
  const { config, notices } = loadConfig(settingSources);
  const log = await openReadableLog({ level: config.logLevel, file: config.logFile });
  for (const { variable, message } of notices) log.warn({ component: 'config', variable }, message);
  try {
    const mailbox = createMailbox();
    const development = {
      captureMail: mailbox.addMail,
      captureSms: ({ to, text, code, sentAt }) => mailbox.addSms({ to, text, code, sentAt }),
      routes: mailboxRoutes(mailbox, config.apiExternalUrl),
    } satisfies Development;
    const server = await startServer(config, readVersion(), log, { development, settingSources });
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
  const url = `http://localhost:${port}`;
  const consoleLink =
    config.consolePort === null
      ? null
      : await withDatabaseOf(config, io, (db) => makeSignInLink({ config, db }, DEVELOPER));
  return startScreen({ version, engine, url, databaseLabel, role, token, consoleLink });
}
