import type { CommandRegistry } from '../cli/types.js';

/** What runs when no command is named. */
export const DEFAULT_COMMAND = 'serve';

/** Every command, one file each, in the order `--help` lists them. */
export const commands: CommandRegistry = {
  serve: async () => (await import('./serve.js')).serve,
  init: async () => (await import('./init.js')).init,
  dev: async () => (await import('./dev.js')).dev,
  migrate: async () => (await import('./migrate.js')).migrateCommand,
  check: async () => (await import('../checks/index.js')).check,
  config: async () => (await import('./config.js')).configCommands,
  token: async () => (await import('./token.js')).token,
  keys: async () => (await import('./keys.js')).keys,
  users: async () => (await import('./users.js')).users,
  organizations: async () => (await import('./organizations.js')).organizationCommands,
  operators: async () => (await import('./operators.js')).operatorCommands,
  passwords: async () => (await import('./passwords.js')).passwordCommands,
  prune: async () => (await import('./prune.js')).prune,
  calibrate: async () => (await import('./calibrate.js')).calibrate,
  version: async () => (await import('./version.js')).version,
};
