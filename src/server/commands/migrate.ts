import { explainFailure } from '../../db/diagnose.js';
import { DatabaseUnavailableError } from '../../db/errors.js';
import { type MigrateResult, migrateWhenReachable } from '../../db/migrate.js';
import { prefixOf } from '../../db/statements.js';
import { loadConfig } from '../config/load.js';
import { parseDuration } from '../config/parse.js';
import { type Command, EXIT } from './types.js';

export const migrate: Command = {
  summary: 'Bring the database schema up to date',
  help: `Applies the migrations this release has and the database has not, and prints their names. The server does the
same when it starts, so this is for those who want it done beforehand. Safe to run from several places at once: one
works, the others wait. Everything happens in one transaction; when something fails, nothing has changed.`,
  options: {
    wait: {
      type: 'string',
      argument: 'DURATION',
      doc: 'how long to wait for a database that is not up yet (default: 0)',
    },
  },
  run: async ({ values, configFile }, io) => {
    const wait = parseDuration((values['wait'] as string | undefined) ?? '0');
    if ('fault' in wait) {
      io.err(`latchkey migrate: --wait ${wait.fault}\n`);
      return EXIT.wrongUsage;
    }
    const { config } = loadConfig({ environment: io.environment, file: configFile });
    const options = { url: config.databaseUrl, prefix: prefixOf(config.dbNamespace) };
    try {
      const result = await migrateWhenReachable(options, {
        giveUpAfterSeconds: wait.value,
        onFailure: (error) => io.err(`${explainFailure(error, options.url)}\n`),
      });
      io.out(render(result));
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      io.err(`${explainFailure(error, options.url)}\n`);
      return EXIT.failed;
    }
  },
};

function render({ applied, version }: MigrateResult): string {
  const lines = applied.map((file) => `applied ${file}`);
  return `${[...lines, `The schema is at version ${version}${applied.length === 0 ? ', nothing to do' : ''}.`].join('\n')}\n`;
}
