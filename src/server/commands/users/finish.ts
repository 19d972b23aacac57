import { withAppSchema } from '../../cli/app-schema.js';
import { type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';

/** The last step of a move within one database (docs/moving-in.md). The only one that cannot be undone, so it looks first. */
export const finishMove = (args: CommandArguments, io: CommandIo): Promise<number> =>
  withAppSchema(args, io, ': --finish ends a move within one database.', async (check, schema) => {
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
  });
