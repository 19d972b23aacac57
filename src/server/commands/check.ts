import type { CommandGroup } from './types.js';

/** Diagnoses, one file each under check/. */
export const check: CommandGroup = {
  summary: 'Find out what is wrong: check config, check redirect, check db, check smtp, check provider',
  commands: {
    config: async () => (await import('./check/config.js')).checkConfig,
    redirect: async () => (await import('./check/redirect.js')).checkRedirect,
    db: async () => (await import('./check/db.js')).checkDb,
    provider: async () => (await import('./check/provider.js')).checkProvider,
    smtp: async () => (await import('./check/smtp.js')).checkSmtp,
  },
};
