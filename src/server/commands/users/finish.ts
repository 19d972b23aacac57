import { openAppSchemaCheck } from '../../../db/app-schema-check.js';
import { prefixOf } from '../../../db/statements.js';
import { type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import { loadConfig } from '../../config/load.js';

/** The last step of a move within one database (docs/moving-in.md). The only one that cannot be undone, so it looks first. */
export async function finishMove({ configFiles }: CommandArguments, io: CommandIo): Promise<number> {
  const { config } = loadConfig({ environment: io.environment, ...configFiles });
  const schema = config.dbAppSchema;
  if (schema === '') {
    io.err('AUTH_DB_APP_SCHEMA is not set: --finish ends a move within one database.\n');
    return EXIT.wrongUsage;
  }
  const check = await openAppSchemaCheck(config.databaseUrl, prefixOf(config.dbNamespace), schema);
  try {
    if (!(await check.isMade())) {
      io.err(`The schema ${schema} does not mirror the accounts yet: run latchkey migrate.\n`);
      return EXIT.failed;
    }
    const { strange, lacking, secrets } = await check.read();
    if (strange.count + lacking.users + lacking.identities > 0) {
      io.err('Both sides differ, so nothing was changed: see latchkey check app-schema.\n');
      return EXIT.failed;
    }
    await check.finish();
    io.out(
      `Emptied the secrets of ${secrets} accounts in ${schema}.users, and the other tables of secrets there. The way back is latchkey users export --to-gotrue.\n`,
    );
    return EXIT.ok;
  } finally {
    await check.close();
  }
}
