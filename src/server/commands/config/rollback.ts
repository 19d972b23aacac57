import { type Command, EXIT } from '../../cli/types.js';
import { parseInteger } from '../../config/parse.js';
import { findWayBack } from '../../stored-settings/setting-history.js';
import { applyChange, changeOptions, reportFaults, withSettingStore } from './apply.js';

export const rollbackConfig: Command = {
  summary: 'Restore the settings of the database as they were with VERSION',
  help: `Stores a set that restores what was in force with VERSION of latchkey config history; 0: nothing was stored. The sets in between
stay in the history. Exits with 2 if that state would have a fault now.`,
  options: changeOptions,
  positionals: ['VERSION'],
  run: async (args, io) => {
    const version = parseInteger(args.positionals[0] ?? '', { min: 0, max: 2_147_483_646 });
    if ('fault' in version) {
      io.err('latchkey config rollback: to which version? latchkey config history shows them.\n');
      return EXIT.wrongUsage;
    }
    return withSettingStore(args, io, async (store) => {
      const back = await findWayBack(store, version.value);
      if (back === undefined) {
        io.err(`latchkey config rollback: there is no version ${version.value}\n`);
        return EXIT.wrongUsage;
      }
      if (back.faults.length > 0) return reportFaults(io, back.faults);
      return applyChange(args, io, store, { texts: back.texts, restored: version.value });
    });
  },
};
