import type { CommandGroup } from '../cli/types.js';

/** Operators of the console, one file each in operators/. */
export const operatorCommands: CommandGroup = {
  summary: 'People who use the console: operators create, list, role, reset, remove',
  commands: {
    create: async () => (await import('./operators/create.js')).createOperatorCommand,
    list: async () => (await import('./operators/list.js')).listOperators,
    role: async () => (await import('./operators/role.js')).changeRole,
    reset: async () => (await import('./operators/reset.js')).resetOperatorCommand,
    remove: async () => (await import('./operators/remove.js')).removeOperatorCommand,
  },
};
