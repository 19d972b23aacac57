/** The relying party (WebAuthn Level 3, 4): this service, as authenticators know it. */
import { memoize } from '../../caching/memoize.js';
import { coseAlgorithms, readOrigin } from '../config/relying-party.js';
import type { Config } from '../config/settings.js';

export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  /** As browsers and apps write them. */
  readonly origins: readonly string[];
  /** COSE numbers of the algorithms of new credentials, the preferred one first. */
  readonly algorithms: readonly number[];
}

/** The settings are valid: the server does not start otherwise. */
export const relyingPartyOf: (config: Config) => RelyingParty = memoize((config: Config) => ({
  id: config.webauthnRpId,
  name: config.webauthnRpDisplayName,
  origins: config.webauthnRpOrigins.map((origin) => readOrigin(origin)!),
  algorithms: config.webauthnRegistrationAlgorithms.map((name) => coseAlgorithms[name]!),
}));

/**
 * Origins of pages that may use the RP id: those on its domain and below it. Browsers permit others only as related origins
 * (WebAuthn Level 3, 5.11).
 */
export const isOnRpDomain = (rpId: string, origin: string): boolean => {
  if (!/^https?:/.test(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === rpId || hostname.endsWith(`.${rpId}`);
};

/** Origins of pages only; none where the settings are not valid, as without the features that need them. */
export const relatedOriginsOf = ({ webauthnRpOrigins }: Config): readonly string[] =>
  webauthnRpOrigins.map(readOrigin).filter((origin) => origin?.startsWith('https:') === true) as string[];
