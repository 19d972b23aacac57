/** Opens the hooks that are on. */
import type { FunctionName } from '../../db/functions.js';
import type { Database } from '../../db/types.js';
import type { Config, HookName } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import { openAfterUserCreated } from './after-user-created.js';
import { openBeforeUserCreated } from './before-user-created.js';
import type { Hooks } from './contract.js';
import { openCustomAccessToken } from './custom-access-token.js';
import type { HookOutcome } from './failure.js';
import { type HookCaller, openHookCaller } from './hook-caller.js';
import { openMfaVerification } from './mfa-verification.js';
import { openPasswordVerification } from './password-verification.js';
import { openSendEmail } from './send-email.js';
import { openSendSms } from './send-sms.js';

export interface HooksOptions {
  readonly config: Pick<
    Config,
    'hooks' | 'hookCustomAccessTokenCacheSeconds' | 'hookLenientDecisions' | 'apiExternalUrl' | 'mails' | 'pagesEnabled'
  >;
  readonly db: Database;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly observe?: ((hook: HookName, outcome: HookOutcome, seconds: number) => void) | undefined;
}

/** Calls nothing until a request needs it. */
export function openHooks({ config, db, log, observe }: HooksOptions): Hooks {
  const callers = new Map<HookName, HookCaller>();
  const open = (name: HookName): HookCaller | null => {
    const settings = config.hooks[name];
    if (!settings.enabled) return null;
    const caller = openHookCaller({ name, settings, db, log, observe });
    callers.set(name, caller);
    return caller;
  };
  const tokenCaller = open('custom_access_token');
  const passwordCaller = open('password_verification_attempt');
  const mfaCaller = open('mfa_verification_attempt');
  const creationCaller = open('before_user_created');
  const createdCaller = open('after_user_created');
  const emailCaller = open('send_email');
  const smsCaller = open('send_sms');
  return {
    customAccessToken:
      tokenCaller &&
      openCustomAccessToken({
        caller: tokenCaller,
        cacheSeconds: config.hookCustomAccessTokenCacheSeconds,
        failOpen: config.hooks.custom_access_token.failOpen === true,
        log,
      }),
    passwordVerification: passwordCaller && openPasswordVerification(passwordCaller, config.hookLenientDecisions),
    mfaVerification: mfaCaller && openMfaVerification(mfaCaller, config.hookLenientDecisions),
    beforeUserCreated: creationCaller && openBeforeUserCreated(creationCaller),
    afterUserCreated: createdCaller && openAfterUserCreated(createdCaller),
    sendEmail: emailCaller && openSendEmail(emailCaller, config),
    sendSms: smsCaller && openSendSms(smsCaller),
    states: () => new Map([...callers].map(([name, caller]) => [name, caller.state()])),
    close() {
      for (const caller of callers.values()) caller.close();
    },
  };
}

/** The functions in the database that the hooks call. */
export function hookFunctions({ hooks }: Pick<Config, 'hooks'>): FunctionName[] {
  return Object.values(hooks).flatMap(({ enabled, uri }) => (enabled && uri?.kind === 'function' ? [uri] : []));
}
