import type { CommandGroup } from '../cli/types.js';

/** Diagnostic commands, one file each in check/. */
export const check: CommandGroup = {
  summary:
    'Diagnose: check config, check redirect, check db, check smtp, check mail, check templates, check keys, check provider, check passwords, check hook, check webauthn, check clock, check app-schema, check sso',
  commands: {
    config: async () => (await import('./config.js')).checkConfig,
    redirect: async () => (await import('./redirect.js')).checkRedirect,
    db: async () => (await import('./db.js')).checkDb,
    passwords: async () => (await import('./passwords.js')).checkPasswords,
    provider: async () => (await import('./provider.js')).checkProvider,
    hook: async () => (await import('./hook.js')).checkHook,
    keys: async () => (await import('./keys.js')).checkKeys,
    webauthn: async () => (await import('./webauthn.js')).checkWebauthn,
    clock: async () => (await import('./clock.js')).checkClock,
    'app-schema': async () => (await import('./app-schema.js')).checkAppSchema,
    sso: async () => (await import('./sso.js')).checkSso,
    templates: async () => (await import('./templates.js')).checkTemplates,
    mail: async () => (await import('./mail.js')).checkMail,
    smtp: async () => (await import('./smtp.js')).checkSmtp,
  },
};
