import { apiError } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { openClaimsCache } from './claims-cache.js';
import { findClaimFaults } from './claims-schema.js';
import type { Claims, ClaimsQuestion, CustomAccessToken } from './contract.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

export interface CustomAccessTokenOptions {
  readonly caller: HookCaller;
  /** 0: the hook is asked each time. */
  readonly cacheSeconds: number;
  readonly failOpen: boolean;
  readonly log: Pick<Log, 'warn'>;
}

const FIELDS = { component: 'auth_hook', hook_name: 'custom_access_token' };
const LEVELS = ['aal1', 'aal2', 'aal3'];

/** The hook custom_access_token: its answer replaces the claims of an access token. */
export function openCustomAccessToken(options: CustomAccessTokenOptions): CustomAccessToken {
  const { caller, cacheSeconds, failOpen, log } = options;
  const cache = openClaimsCache(options);

  async function ask(question: ClaimsQuestion): Promise<Claims> {
    const { asked, method, ip } = question;
    const input = { user_id: asked['sub'], claims: asked, authentication_method: method };
    const output = await caller.call(input, ip);
    const claims = readClaims(output['claims'], asked, log);
    const own = output['cache_seconds'];
    const seconds = cacheSeconds > 0 && typeof own === 'number' && own >= 0 ? own : cacheSeconds;
    if (seconds > 0) cache.keep(question, claims, seconds);
    return claims;
  }

  const recall = (sessionId: string) => (cacheSeconds > 0 ? cache.recall(sessionId) : undefined);

  return {
    recall,
    async decide(question) {
      const known = question.method === 'token_refresh' ? recall(String(question.asked['session_id'])) : undefined;
      if (known?.version === question.version) return known.apply(question.asked);
      try {
        return await ask(question);
      } catch (error) {
        if (!(error instanceof HookFailure)) throw error;
        if (error instanceof ClaimsFailure)
          log.warn({ ...FIELDS, reason: error.message }, 'The claims of a hook are refused');
        if (error.outcome === 'refused' || !failOpen) throw error.shown;
        log.warn(FIELDS, 'A token is issued without the changes of the hook: AUTH_HOOK_CUSTOM_ACCESS_TOKEN_FAIL_OPEN');
        return question.asked;
      }
    },
  };
}

/** @throws HookFailure */
function readClaims(value: unknown, asked: Claims, log: Pick<Log, 'warn'>): Claims {
  if (value === undefined || value === null) {
    throw reject('hookClaimsMissing', 'the answer has no claims');
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw reject('hookBadJson', 'claims is not an object');
  const claims = value as Claims;
  const faults = findClaimFaults(claims);
  if (faults.length > 0) {
    const reason = faults.join(', ');
    throw reject('hookClaimsInvalid', `claims do not fit: ${reason}`, { reason });
  }
  for (const name of ['sub', 'session_id']) {
    if (claims[name] !== asked[name]) throw reject('hookFailed', `the hook changed the claim ${name}`);
  }
  if (LEVELS.indexOf(String(claims['aal'])) > LEVELS.indexOf(String(asked['aal']))) {
    throw reject('hookFailed', 'the hook raised the claim aal');
  }
  if (Number(claims['exp']) <= Number(asked['exp'])) return claims;
  log.warn(FIELDS, 'The hook set exp later than AUTH_JWT_EXP allows: it is cut');
  return { ...claims, exp: asked['exp'] };
}

function reject(
  name: 'hookClaimsMissing' | 'hookClaimsInvalid' | 'hookBadJson' | 'hookFailed',
  message: string,
  values: Readonly<Record<string, string>> = {},
): HookFailure {
  return new ClaimsFailure('bad_answer', apiError(name, values), message);
}

/** An answer that arrived, with claims that cannot be used. */
class ClaimsFailure extends HookFailure {}
