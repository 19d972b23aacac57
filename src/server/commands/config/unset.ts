import { type Command, EXIT } from '../../cli/types.js';
import { applyChange, changeOptions, withSettingStore } from './apply.js';

export const unsetConfig: Command = {
  summary: 'Remove settings from the database: NAME …',
  help: `Removes settings from the database, as one set. Each then has the value of the other sources, or its default. What is
left is checked by the rules of a start. Exits with 2 if it has a fault.`,
  options: changeOptions,
  positionals: ['NAME…'],
  run: async (args, io) => {
    if (args.positionals.length === 0) {
      io.err('latchkey config unset: which setting? latchkey config export shows those of the database.\n');
      return EXIT.wrongUsage;
    }
    const texts = new Map(args.positionals.map((name) => [name, null]));
    return withSettingStore(args, io, (store) => applyChange(args, io, store, { texts }));
  },
};
