import { resolve } from 'node:path';
import { migrate } from '../../db/migrate.js';
import { addRequestRoles } from '../../db/request-roles.js';
import { findSsoProvider } from '../../db/sso-providers.js';
import { prefixOf } from '../../db/statements.js';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres.js';
import {
  adminCalls,
  COMPANY_RESOURCE_ID,
  identityProviderRoutes,
  openIdentityProvider,
  registerProvider,
} from '../../dev/identity-provider/index.js';
import { createMailbox, mailboxRoutes } from '../../dev/mailbox/index.js';
import { hasSite, siteRoutes } from '../../dev/site/routes.js';
import { startPageRoute } from '../../dev/start-page/index.js';
import { startScreen } from '../../dev/start-screen.js';
import { appSchemaOf } from '../app-schema/schema-settings.js';
import { withDatabaseOf } from '../cli/database.js';
import { DEVELOPMENT_DIRECTORY, noteDevelopment } from '../cli/development.js';
import type { Command, CommandIo } from '../cli/types.js';
import { type ConfigSources, type Environment, type LoadedConfig, loadConfig } from '../config/load.js';
import { consoleOriginOf } from '../console/console-address.js';
import { makeSignInLink } from '../console/operator-accounts.js';
import { describeEngine } from '../http/engine.js';
import { importKeys } from '../keys/rotation.js';
import { openKeyStore } from '../keys/stored-keys.js';
import type { Development } from '../runtime/development.js';
import { runUntilStopped } from '../runtime/lifecycle.js';
import { openLiveSettings } from '../runtime/live-settings.js';
import { startServer } from '../runtime/server.js';
import { type Log, openLog } from '../telemetry/log.js';
import { fillIn } from './dev/filled-in.js';
import { readSigningKey, signAdminToken } from './sign-admin-token.js';
import { readVersion } from './version.js';

export const dev: Command = {
  summary: 'Run everything on this machine, with its own Postgres',
  help: `Starts a Postgres from the development packages, keeps its data, a generated JWT secret and a
signing key in .data/, and serves the API with readable logs. Mails and texts are not sent; /dev/mailbox
shows them. Addresses are confirmed automatically. Settings of the environment and of .env
take precedence over those of this command; with DATABASE_URL, no Postgres is started. While it runs, other
commands that are run in the same directory use its settings and its database. Company sign-in can be tried at
/dev/identity-provider, with two people of company.example; a database of DATABASE_URL gets this company only
with --company.`,
  options: {
    company: { type: 'boolean', doc: 'adds company.example to the database of DATABASE_URL, too' },
    data: { type: 'string', argument: 'DIR', doc: 'where to keep the database and the keys (default .data)' },
  },
  async run(args, io) {
    const directory = resolve(String(args.values['data'] ?? DEVELOPMENT_DIRECTORY));
    const log = await openReadableLog({ level: 'info', file: '' });
    const { filled, sources } = await fillIn({ environment: io.environment, ...args.configFiles }, directory);
    const database = await openDatabase(sources, directory, log);
    try {
      const fallback: Environment = { ...filled.fallback, DATABASE_URL: database.url };
      const given = { ...filled, fallback };
      // Policies of an application name them; in a database of others that is theirs to decide.
      if (database.url !== undefined && loadConfig(given).config.dbAppSchema !== '')
        await addRequestRoles(database.url);
      const storesKeys = database.url !== undefined && fallback['AUTH_JWT_KEYS'] !== undefined;
      const settingSources = storesKeys ? await storeTokenKeys(given, io) : given;
      const removeNote = noteDevelopment(directory, loadConfig(settingSources));
      try {
        const hasCompany = database.url !== undefined || args.values['company'] === true;
        return await serveLoaded(settingSources, io, { label: database.label, directory, hasCompany });
      } finally {
        removeNote();
      }
    } finally {
      await database.stop();
    }
  },
};

/**
 * Puts the keys into the own database, where the console and `latchkey keys` change them. Those that are there stay as they
 * are, so a rotated key stays rotated after a restart.
 * @param given settings with the keys. @returns the settings that read them from the database
 */
async function storeTokenKeys(given: ConfigSources, io: CommandIo): Promise<ConfigSources> {
  const { config } = loadConfig(given);
  await migrate({ url: config.databaseUrl, prefix: prefixOf(config.dbNamespace), appSchema: appSchemaOf(config) });
  await withDatabaseOf(config, io, (db) => importKeys(openKeyStore(db, config), config.jwtKeys));
  return { ...given, fallback: { ...given.fallback, AUTH_JWT_KEYS: undefined, AUTH_JWT_KEYS_SOURCE: 'database' } };
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

interface Serving {
  /** Of the database, for the start screen. */
  readonly label: string;
  readonly directory: string;
  /** The company for development may be added to the database. */
  readonly hasCompany: boolean;
}

/** @throws ConfigError with all faults */
async function serveLoaded(
  settingSources: ConfigSources,
  io: CommandIo,
  { label, directory, hasCompany }: Serving,
): Promise<number> {
  const settings = await openLiveSettings(settingSources);
  const { config } = settings.first.loaded;
  const log = await openReadableLog({ level: config.logLevel, file: config.logFile });
  try {
    const mailbox = createMailbox();
    const company = hasCompany && config.samlEnabled ? openIdentityProvider(directory, config.apiExternalUrl) : null;
    const development = {
      captureMail: mailbox.addMail,
      captureSms: ({ to, text, code, sentAt }) => mailbox.addSms({ to, text, code, sentAt }),
      routes: [
        ...mailboxRoutes(mailbox, config.apiExternalUrl),
        ...(company === null ? [] : identityProviderRoutes(company)),
        ...siteRoutes(),
        startPageRoute({ ...startPageOf(config), hasCompany: company !== null, hasSite: hasSite() }),
      ],
    } satisfies Development;
    const server = await settings.start(
      (usable, stored) => startServer(usable, readVersion(), log, { development, settingSources, stored }),
      log,
    );
    settings.follow(server, log);
    // From here on, waits for signals and for a failure of the schema.
    const stopped = runUntilStopped(server, log);
    const isMigrated = await Promise.race([
      server.migrated.then(
        () => true,
        () => false,
      ),
      stopped.then(() => false),
    ]);
    if (isMigrated) {
      const token = await signDeveloperToken(config, io);
      const url = `http://localhost:${server.port}`;
      const { consoleLink, known } = await readForScreen(config, io, company !== null);
      if (company !== null) company.admin = adminCalls({ url, token: () => signDeveloperToken(config, io) });
      const isRegistered = company !== null && (await registerProvider(company, known, { url, token }, log));
      const about = {
        version: readVersion(),
        engine: describeEngine(),
        role: roleOf(config),
        databaseLabel: label,
        hasSite: hasSite(),
      };
      io.out(startScreen({ ...about, url, token, isRegistered, consoleLink }));
    }
    return await stopped;
  } finally {
    log.flush();
  }
}

const startPageOf = (config: LoadedConfig['config']) => ({
  version: readVersion(),
  ownUrl: `http://localhost:${config.port}`,
  hasPages: config.pagesEnabled,
  consoleUrl: config.consolePort === null ? null : consoleOriginOf(config),
});

async function signDeveloperToken(config: LoadedConfig['config'], io: CommandIo): Promise<string> {
  return signAdminToken(
    {
      ...{ role: roleOf(config), audience: config.jwtAudience, issuer: config.jwtIssuer },
      ...{ subject: null, expiresInSeconds: null },
    },
    await readSigningKey(io, config),
    Math.floor(Date.now() / 1000),
  );
}

const roleOf = ({ jwtAdminRoles }: LoadedConfig['config']): string => jwtAdminRoles[0] ?? 'service_role';

/** What the start screen needs of the database. */
async function readForScreen(config: LoadedConfig['config'], io: CommandIo, hasCompany: boolean) {
  const hasConsole = config.consolePort !== null;
  if (!hasConsole && !hasCompany) return { consoleLink: null, known: undefined };
  return withDatabaseOf(config, io, async (db) => ({
    consoleLink: hasConsole ? await makeSignInLink({ config, db }, DEVELOPER) : null,
    known: hasCompany ? await findSsoProvider(db, 'resource_id', COMPANY_RESOURCE_ID) : undefined,
  }));
}
