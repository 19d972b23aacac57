import type { CommandGroup } from './types.js';

/** Account commands, one file each in users/. */
export const users: CommandGroup = {
  summary: 'Create accounts: users create, users import, users export',
  commands: {
    create: async () => (await import('./users/create.js')).createUser,
    import: async () => (await import('./users/import.js')).importUsersCommand,
    export: async () => (await import('./users/export.js')).exportUsersCommand,
  },
};
