import { createHash } from 'node:crypto';
import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import type { Config } from '../config/settings.js';
import { FilterFileError } from '../passwords/filter-format.js';
import { openHibp } from '../passwords/hibp.js';
import { openConfiguredFilter } from '../passwords/index.js';

/** In every list of leaked passwords. */
const PROBE = createHash('sha1').update('password').digest();

export const checkPasswords: Command = {
  summary: 'Show the checks of new passwords, and try the list of leaked ones',
  help: `Shows which checks a new password has to pass. Looks up the word "password" in the filter of
AUTH_PASSWORD_HIBP_FILE, or else at the service of AUTH_PASSWORD_HIBP_API_URL. Exits with 1 when the list cannot be used
or does not contain it.`,
  options: {},
  run: async ({ configFiles }, io) => {
    const { config } = await loadConfiguration({ configFiles }, io);
    const line = (name: string, text: string): void => io.out(`${name.padEnd(10)}  ${text}\n`);
    line('length', `at least ${config.passwordMinLength} bytes`);
    line('characters', `${config.passwordRequiredCharacters.length} required sets`);
    line('common', config.commonPasswordList ? 'on' : 'off (AUTH_PASSWORD_COMMON_LIST)');
    try {
      const verdict = await tryLeakedList(config, (text) => line('leaked', text));
      if (verdict === true || verdict === null) return EXIT.ok;
      io.err('The list does not contain the word "password", so it is not complete.\n');
    } catch (error) {
      io.err(describeFailure(error, config));
    }
    return EXIT.failed;
  },
};

/** @returns whether the probe is in the list; null without a list */
async function tryLeakedList(config: Config, say: (text: string) => void): Promise<boolean | null> {
  if (config.hibpFile !== '') {
    const filter = await openConfiguredFilter(config.hibpFile);
    try {
      const { entries, rate, builtAt } = filter.header;
      say(`${config.hibpFile}: ${entries} passwords, built ${builtAt}, wrong for ${rate} of all others`);
      const startMs = performance.now();
      const isListed = await filter.has(PROBE);
      say(`looked up in ${Math.round((performance.now() - startMs) * 1000)} µs`);
      return isListed;
    } finally {
      await filter.close();
    }
  }
  if (!config.hibpEnabled) {
    say('off (AUTH_PASSWORD_HIBP_ENABLED, AUTH_PASSWORD_HIBP_FILE)');
    return null;
  }
  say(`asking ${config.hibpApiUrl}`);
  const startMs = performance.now();
  const isListed = await openHibp({ config, log: { info: () => undefined, warn: () => undefined } }).has(PROBE);
  say(`answered in ${Math.round(performance.now() - startMs)} ms`);
  return isListed;
}

function describeFailure(error: unknown, config: Config): string {
  const { message } = error as Error;
  if (error instanceof FilterFileError) return `${message}.\n`;
  const effect = config.hibpFailClosed ? 'new passwords are rejected' : 'new passwords are accepted unchecked';
  return `${message}; meanwhile ${effect}. Check AUTH_PASSWORD_HIBP_API_URL.\n`;
}
