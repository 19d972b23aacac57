import type { CommandGroup } from '../cli/types.js';

/** Account commands, one file each in users/. */
export const users: CommandGroup = {
  summary: 'Create accounts: users create, users import, users export, users reset-mfa',
  commands: {
    create: async () => (await import('./users/create.js')).createUser,
    import: async () => (await import('./users/import.js')).importUsersCommand,
    export: async () => (await import('./users/export.js')).exportUsersCommand,
    'reset-mfa': async () => (await import('./users/reset-mfa.js')).resetMfa,
  },
};
