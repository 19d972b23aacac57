/**
 * Remembers what the hook changed about the claims of a session, so that a refresh need not ask again. Only the
 * difference is kept: times and authentication methods are those of the new token.
 */
import { isDeepStrictEqual } from 'node:util';
import { lruByOwner } from '../../caching/lru.js';
import type { Claims, ClaimsQuestion, RememberedClaims } from './contract.js';

interface Remembered {
  readonly version: string;
  readonly untilMs: number;
  readonly set: Claims;
  readonly dropped: readonly string[];
  /** Seconds from iat to exp, if the hook changed exp. */
  readonly lifeSeconds: number | null;
}

const MAX_SESSIONS = 10_000;
const MAX_CHARACTERS = 8 * 1_048_576;

const cacheOf = lruByOwner<object, Remembered>({
  maxEntries: MAX_SESSIONS,
  maxCharacters: MAX_CHARACTERS,
  countCharacters: ({ set }, key) => JSON.stringify(set).length + key.length,
});

/** Claims of the moment, which are never taken from an earlier answer. */
const MOMENTARY = new Set(['exp', 'iat']);

export interface ClaimsCache {
  /** @returns undefined: the hook must be asked */
  recall(sessionId: string): RememberedClaims | undefined;
  keep(question: ClaimsQuestion, answered: Claims, seconds: number): void;
}

/** @param now Unix time in milliseconds */
export function openClaimsCache(owner: object, now: () => number = Date.now): ClaimsCache {
  const cache = cacheOf(owner);
  return {
    recall(sessionId) {
      const known = cache.get(sessionId);
      if (known === undefined || known.untilMs <= now()) return undefined;
      return { version: known.version, apply: (asked) => changeClaims(asked, known) };
    },
    keep({ asked, version }, answered, seconds) {
      const changed = Object.entries(answered).filter(
        ([name, value]) => !MOMENTARY.has(name) && !isDeepStrictEqual(value, asked[name]),
      );
      cache.set(String(asked['session_id']), {
        version,
        untilMs: now() + seconds * 1000,
        set: Object.fromEntries(changed),
        dropped: Object.keys(asked).filter((name) => !(name in answered)),
        lifeSeconds: answered['exp'] === asked['exp'] ? null : Number(answered['exp']) - Number(asked['iat']),
      });
    },
  };
}

function changeClaims(asked: Claims, { set, dropped, lifeSeconds }: Remembered): Claims {
  const claims: Record<string, unknown> = { ...asked, ...set };
  for (const name of dropped) delete claims[name];
  if (lifeSeconds !== null) claims['exp'] = Number(asked['iat']) + lifeSeconds;
  return claims;
}
