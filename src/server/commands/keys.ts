import type { CommandGroup } from '../cli/types.js';

/** Commands for the keys of access tokens, one file each in keys/. */
export const keys: CommandGroup = {
  summary: 'Keys of access tokens: keys generate, list, rotate, promote, retire, revoke, import, reseal',
  commands: {
    generate: async () => (await import('./keys/generate.js')).generateKey,
    list: async () => (await import('./keys/list.js')).listKeys,
    rotate: async () => (await import('./keys/rotate.js')).rotateKeys,
    promote: async () => (await import('./keys/promote.js')).promoteKeyCommand,
    retire: async () => (await import('./keys/retire.js')).retireKeyCommand,
    revoke: async () => (await import('./keys/revoke.js')).revokeKeyCommand,
    import: async () => (await import('./keys/import.js')).importKeysCommand,
    reseal: async () => (await import('./keys/reseal.js')).resealKeys,
  },
};
