import { readStoredSettings } from '../../../db/stored-settings.js';
import { developmentOption } from '../../cli/development.js';
import { type Command, EXIT } from '../../cli/types.js';
import { quoteEnv } from '../../config/env-file.js';
import { placeNames } from '../../config/storable.js';
import { openEntry, storedEntries } from '../../stored-settings/store.js';
import { withSettingStore } from './apply.js';

export const exportConfig: Command = {
  summary: 'Print the settings of the database',
  help: `Prints what the database sets, as .env or, with --ndjson, one JSON object a line: {"name", "text"}. latchkey config import reads
both. Secrets are left out and named, unless --secrets is given. Exits with 1 if a secret cannot be opened.`,
  options: {
    ndjson: { type: 'boolean', doc: 'print one JSON object a line' },
    secrets: { type: 'boolean', doc: 'print secrets, too' },
    ...developmentOption,
  },
  run: async (args, io) =>
    withSettingStore(args, io, async ({ db, sealer }) => {
      const entries = storedEntries(await readStoredSettings(db, null));
      const placed = placeNames(entries.map(({ name }) => name));
      let code: number = EXIT.ok;
      for (const entry of entries) {
        const { name } = entry;
        const isSecret = entry.is_sealed || placed.get(name)?.setting.secret === true;
        const text = openEntry(sealer, entry);
        if (text === null) {
          io.err(`${name} cannot be opened: another key has sealed it.\n`);
          code = EXIT.failed;
        } else if (isSecret && args.values['secrets'] !== true) {
          io.err(`${name} is a secret: --secrets prints it.\n`);
        } else {
          io.out(
            args.values['ndjson'] === true ? `${JSON.stringify({ name, text })}\n` : `${name}=${quoteEnv(text)}\n`,
          );
        }
      }
      return code;
    }),
};
