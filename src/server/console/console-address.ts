/** Where browsers find the console, and what follows from that. */
import { memoize } from '../../caching/memoize.js';
import { ConfigError } from '../config/faults.js';
import { isRpId } from '../config/relying-party.js';
import type { Config } from '../config/settings.js';
import { isLoopback } from '../outbound/loopback.js';

type Address = Pick<Config, 'consolePort' | 'consoleUrl'>;

const urlOf = memoize(({ consolePort, consoleUrl }: Address): URL => {
  if (consoleUrl !== '') return new URL(consoleUrl);
  if (consolePort !== null) return new URL(`http://localhost:${consolePort}`);
  const problem = 'is unset, and so is AUTH_CONSOLE_URL: links to the console need its address';
  throw new ConfigError([{ variable: 'AUTH_CONSOLE_PORT', problem, example: '8082' }]);
});

/**
 * Scheme, host and port.
 * @throws ConfigError for a configuration without a console, which commands may have
 */
export const consoleOriginOf = (config: Address): string => urlOf(config).origin;

/** As browsers write it in the header Host. */
export const consoleHostOf = (config: Address): string => urlOf(config).host;

export const isConsoleSecure = (config: Address): boolean => urlOf(config).protocol === 'https:';

/** Whether browsers trust the origin, so that they know passkeys and send Sec-Fetch-Site. */
export const isConsoleTrusted = (config: Address): boolean =>
  isConsoleSecure(config) || isLoopback(urlOf(config).hostname);

/** Passkeys belong to a host name. */
export const hasConsolePasskeys = (config: Address): boolean =>
  isConsoleTrusted(config) && isRpId(urlOf(config).hostname);

/** The settings under which passkeys of operators are verified: the console is a relying party of its own. */
export const consoleParty: (config: Config) => Config = memoize((config: Config) => ({
  ...config,
  webauthnRpId: urlOf(config).hostname,
  webauthnRpOrigins: [consoleOriginOf(config)],
  webauthnRpDisplayName: 'Latchkey console',
  webauthnUserVerification: 'required',
  webauthnAttestation: 'none',
  webauthnAllowedAaguids: [],
  webauthnCounterPolicy: 'refuse',
}));
