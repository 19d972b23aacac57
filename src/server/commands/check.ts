import type { CommandGroup } from './types.js';

/** Diagnostic commands, one file each in check/. */
export const check: CommandGroup = {
  summary:
    'Diagnose: check config, check redirect, check db, check smtp, check keys, check provider, check passwords, check hook, check webauthn, check clock',
  commands: {
    config: async () => (await import('./check/config.js')).checkConfig,
    redirect: async () => (await import('./check/redirect.js')).checkRedirect,
    db: async () => (await import('./check/db.js')).checkDb,
    passwords: async () => (await import('./check/passwords.js')).checkPasswords,
    provider: async () => (await import('./check/provider.js')).checkProvider,
    hook: async () => (await import('./check/hook.js')).checkHook,
    keys: async () => (await import('./check/keys.js')).checkKeys,
    webauthn: async () => (await import('./check/webauthn.js')).checkWebauthn,
    clock: async () => (await import('./check/clock.js')).checkClock,
    smtp: async () => (await import('./check/smtp.js')).checkSmtp,
  },
};
