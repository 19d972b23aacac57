import type { AppSchemaState } from '../../db/app-schema-check.js';
import { withAppSchema } from '../cli/app-schema.js';
import { type Command, EXIT } from '../cli/types.js';

export const checkAppSchema: Command = {
  summary: "Compare the application's schema with the accounts",
  help: `Shows what is in the schema of AUTH_DB_APP_SCHEMA: triggers and foreign keys of the application, functions that policies call, and
rows that are missing on either side. Changes nothing without --repair, which writes what the mirror lacks; triggers of the
application fire then. Exits with 1 if the sides differ.`,
  options: {
    repair: { type: 'boolean', doc: 'write the accounts and identities that the mirror lacks' },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: (args, io) =>
    withAppSchema(args, io, ', so no schema mirrors the accounts.', async (check, schema) => {
      const before = await check.read();
      const repaired =
        args.values['repair'] === true
          ? await check.repair((done) => io.isTerminal && io.err(`\rrepaired ${done}`))
          : 0;
      const state = repaired === 0 ? before : await check.read();
      const problems = findProblems(schema, state);
      io.out(
        args.values['json'] === true
          ? `${JSON.stringify({ ok: problems.length === 0, repaired, problems, ...state }, null, 2)}\n`
          : render(schema, state, repaired, problems),
      );
      return problems.length === 0 ? EXIT.ok : EXIT.failed;
    }),
};

function findProblems(schema: string, state: AppSchemaState): string[] {
  const { exposedTo, lacking, strange, missingFunctions, missingTriggers } = state;
  return [
    ...(exposedTo.length === 0
      ? []
      : [
          `The roles ${exposedTo.join(', ')} may read Latchkey's own tables, so a REST layer shows them: revoke it, or give them a schema of their own.`,
        ]),
    ...(lacking.users + lacking.identities === 0
      ? []
      : [
          `The mirror lacks ${lacking.users} accounts and ${lacking.identities} identities, or has them otherwise: --repair writes them.`,
        ]),
    ...(strange.count === 0
      ? []
      : [
          `${strange.count} rows of ${schema}.users have no account: import them (latchkey users import --from-gotrue), or delete them. The first: ${strange.ids.slice(0, 5).join(', ')}`,
        ]),
    ...(missingFunctions.length === 0
      ? []
      : [
          `Functions are missing: ${missingFunctions.map((name) => `${schema}.${name}`).join(', ')}. latchkey migrate makes them.`,
        ]),
    ...(missingTriggers.length === 0
      ? []
      : [
          `Triggers of the mirror are missing or disabled, so it takes no writes: ${missingTriggers.map(({ name, table_name }) => `${name} on ${table_name.replaceAll('"', '')}`).join(', ')}. latchkey migrate makes them.`,
        ]),
  ];
}

function render(schema: string, state: AppSchemaState, repaired: number, problems: readonly string[]): string {
  const { counts, triggers, foreignKeys, relations, otherFunctions, secrets } = state;
  const lines = [
    `accounts      ${counts.accounts}, in ${schema}.users ${counts.mirrored}`,
    `identities    ${counts.identities}, in ${schema}.identities ${counts.mirrored_identities}`,
    ...relations.map(
      ({ name, kind, owner }) => `${kind === 'v' ? 'view ' : 'table'}         ${schema}.${name}, of the role ${owner}`,
    ),
    ...triggers.map(
      (trigger) =>
        `trigger       ${trigger.name} on ${trigger.table_name} calls ${trigger.function_name}${trigger.is_on ? '' : ' (disabled)'}`,
    ),
    ...foreignKeys.map((key) => `foreign key   ${key.table_name} (${key.name}); a deletion: ${key.on_delete}`),
    ...otherFunctions.map((name) => `function      ${schema}.${name} differs from Latchkey's, and stays`),
    ...(secrets === 0
      ? []
      : [
          `secrets       ${secrets} rows still have secrets of the other server: latchkey users import --finish empties them`,
        ]),
    ...(repaired === 0 ? [] : [`repaired      ${repaired}`]),
    '',
    ...(problems.length === 0 ? ['The schema is well.'] : problems),
  ];
  return `${lines.join('\n')}\n`;
}
