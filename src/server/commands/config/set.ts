import { type Command, EXIT } from '../../cli/types.js';
import { applyChange, changeOptions, withSettingStore } from './apply.js';

export const setConfig: Command = {
  summary: 'Store settings in the database: NAME=value …',
  help: `Stores one or more settings in the database, as one set: all of them or none. They are checked by the rules of a start,
and every running server uses them within five seconds. A value is written as in the environment; - reads it from
standard input, which keeps a secret out of the list of processes. Where the environment or a file sets the same name, that
comes first. Exits with 2 if a setting is faulty.`,
  options: changeOptions,
  positionals: ['NAME=value…'],
  run: async (args, io) => {
    const texts = new Map<string, string | null>();
    for (const word of args.positionals) {
      const at = word.indexOf('=');
      if (at < 1) {
        io.err(`latchkey config set: ${JSON.stringify(word)} is not NAME=value\n`);
        return EXIT.wrongUsage;
      }
      const value = word.slice(at + 1);
      texts.set(word.slice(0, at), value === '-' ? await readValue(io) : value);
    }
    if (texts.size === 0) {
      io.err('latchkey config set: which setting? Give NAME=value.\n');
      return EXIT.wrongUsage;
    }
    return withSettingStore(args, io, (store) => applyChange(args, io, store, { texts }));
  },
};

/** Without the newline that editors and `echo` append. */
async function readValue(io: Parameters<Command['run']>[1]): Promise<string> {
  const text = (await io.readInput?.()) ?? '';
  return text.replace(/\r?\n$/, '');
}
