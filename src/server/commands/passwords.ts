import type { CommandGroup } from '../cli/types.js';

/** Commands on lists of passwords, one file each in passwords/. */
export const passwordCommands: CommandGroup = {
  summary: 'Lists of leaked passwords: passwords build-filter',
  commands: {
    'build-filter': async () => (await import('./passwords/build-filter.js')).buildFilter,
  },
};
