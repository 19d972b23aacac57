/** Commands on the schema of the application (AUTH_DB_APP_SCHEMA). */
import { type AppSchemaCheck, openAppSchemaCheck } from '../../db/app-schema-check.js';
import { prefixOf } from '../../db/statements.js';
import { loadOwnSources } from './configuration.js';
import { type CommandArguments, type CommandIo, EXIT } from './types.js';

/**
 * @param whyNot what the command says when the setting is empty
 * @param work with the schema, which mirrors the accounts
 * @returns the exit code: that of `work`, or why it was not called
 * @throws DatabaseUnavailableError, and what `work` throws
 */
export async function withAppSchema(
  { configFiles }: CommandArguments,
  io: CommandIo,
  whyNot: string,
  work: (check: AppSchemaCheck, schema: string) => Promise<number>,
): Promise<number> {
  const config = loadOwnSources({ configFiles }, io);
  const schema = config.dbAppSchema;
  if (schema === '') {
    io.err(`AUTH_DB_APP_SCHEMA is not set${whyNot}\n`);
    return EXIT.wrongUsage;
  }
  const check = await openAppSchemaCheck(config.databaseUrl, prefixOf(config.dbNamespace), schema);
  try {
    if (await check.isMade()) return await work(check, schema);
    io.err(`The schema ${schema} does not mirror the accounts yet: run latchkey migrate.\n`);
    return EXIT.failed;
  } finally {
    await check.close();
  }
}
