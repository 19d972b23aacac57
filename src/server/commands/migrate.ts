import { explainFailure } from '../../db/diagnose.js';
import { DatabaseUnavailableError } from '../../db/errors.js';
import { type MigrateResult, migrateWhenReachable } from '../../db/migrate.js';
import { prefixOf } from '../../db/statements.js';
import { appSchemaOf } from '../app-schema/schema-settings.js';
import { loadOwnSources } from '../cli/configuration.js';
import { type Command, type CommandIo, EXIT } from '../cli/types.js';
import { parseDuration } from '../config/parse.js';

export const migrateCommand: Command = {
  summary: 'Bring the database schema up to date',
  help: `Applies pending migrations and prints their names. The server does the same when it starts; use this command to migrate
beforehand. Several processes may run it at once: one migrates, the others wait. All migrations run in one transaction.`,
  options: {
    wait: {
      type: 'string',
      argument: 'DURATION',
      doc: 'how long to wait for a database that is not up yet (default: 0)',
    },
    distribute: {
      type: 'boolean',
      doc: 'then give the tables to the nodes of the Citus cluster of this database; run it again after an upgrade or a new node',
    },
  },
  run: async ({ values, configFiles }, io) => {
    const wait = parseDuration((values['wait'] as string | undefined) ?? '0');
    if ('fault' in wait) {
      io.err(`latchkey migrate: --wait ${wait.fault}\n`);
      return EXIT.wrongUsage;
    }
    const config = loadOwnSources({ configFiles }, io);
    const options = { url: config.databaseUrl, prefix: prefixOf(config.dbNamespace), appSchema: appSchemaOf(config) };
    try {
      const result = await migrateWhenReachable(options, {
        giveUpAfterSeconds: wait.value,
        onFailure: (error) => io.err(`${explainFailure(error, options.url)}\n`),
      });
      io.out(render(result));
      for (const notice of result.notices) io.err(`${notice}\n`);
      return values['distribute'] === true ? await runDistribute(options, io) : EXIT.ok;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      io.err(`${explainFailure(error, options.url)}\n`);
      return EXIT.failed;
    }
  },
};

async function runDistribute({ url, prefix }: { url: string; prefix: string }, io: CommandIo): Promise<number> {
  const { distributeTables, CannotDistributeError } = await import('../../db/citus/distribute.js');
  try {
    await distributeTables({ url, prefix, onStep: (text) => io.out(`${text}\n`) });
  } catch (error) {
    if (!(error instanceof CannotDistributeError)) throw error;
    io.err(`${error.message}\n`);
    return EXIT.failed;
  }
  io.out('The database is distributed. All servers need AUTH_DB_CITUS=true from now on.\n');
  return EXIT.ok;
}

function render({ applied, version }: MigrateResult): string {
  const lines = applied.map((file) => `applied ${file}`);
  return `${[...lines, `The schema is at version ${version}${applied.length === 0 ? ', nothing to do' : ''}.`].join('\n')}\n`;
}
