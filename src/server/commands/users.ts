import type { CommandGroup } from './types.js';

/** Accounts from the command line, one file each under users/. */
export const users: CommandGroup = {
  summary: 'Make accounts: users create, users import',
  commands: {
    create: async () => (await import('./users/create.js')).createUser,
    import: async () => (await import('./users/import.js')).importUsersCommand,
  },
};
