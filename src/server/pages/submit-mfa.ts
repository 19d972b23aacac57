/** What the forms of /ui/mfa do. */

import { challengeFactor } from '../factors/challenge-factor.js';
import { enrolFactor } from '../factors/enrol.js';
import { findOwnFactor } from '../factors/own-factor.js';
import { verifyRecoveryCode } from '../factors/recovery-verify.js';
import { verifyChallenge } from '../factors/verify-factor.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import type { TokenResponse } from '../sessions/open.js';
import { accountOf, callerOf, keepSignIn } from './browser.js';
import { UNFINISHED } from './continue.js';
import { pageLink } from './form.js';
import { type Begun, type ShownSecret, showFactor, showSecret } from './mfa-page.js';
import type { PageOutcome } from './outcome.js';
import { parseCredential } from './submit-sign-in.js';
import type { Visit } from './visit.js';

export interface MfaForm {
  readonly action?: string;
  readonly factor_id?: string;
  readonly challenge_id?: string;
  readonly code?: string;
  readonly credential_json?: string;
}

/** @throws ApiError those of the rules of factors/ */
export async function submitMfa(visit: Visit, sent: MfaForm): Promise<PageOutcome> {
  const { app, client } = visit;
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(app, account, UNFINISHED);
  const { action, factor_id: factorId = '', code = '' } = sent;
  switch (action) {
    case 'begin':
      return { view: showFactor(visit, caller, await beginFactor(visit, caller, factorId)) };
    case 'enrol': {
      const wanted = { factorType: 'totp', friendlyName: '', issuer: '', phone: '', replacesUnverified: true } as const;
      const { id, totp } = await enrolFactor(app, client, caller, wanted);
      return { view: showSecret(visit, String(id), totp as ShownSecret) };
    }
    case 'recovery':
      return raise(visit, await verifyRecoveryCode(app, client, caller, code));
    default:
      return raise(visit, await answerFactor(visit, caller, sent));
  }
}

/** Sends a code, or makes the options for a security key. @throws ApiError those of {@link challengeFactor} */
export async function beginFactor({ app, client }: Visit, caller: UserCaller, factorId: string): Promise<Begun> {
  const { id, webauthn } = await challengeFactor(app, client, caller, factorId, '');
  const options = (webauthn as { credential_options?: { publicKey?: object } } | undefined)?.credential_options
    ?.publicKey;
  return { challengeId: String(id), options: options === undefined ? null : JSON.stringify(options) };
}

/** The session has another level afterwards. @throws ApiError those of {@link verifyChallenge} */
export async function answerFactor({ app, client }: Visit, caller: UserCaller, sent: MfaForm): Promise<TokenResponse> {
  const { factor_id: factorId = '', code = '', credential_json } = sent;
  const { kind, status } = findOwnFactor(caller, factorId);
  // An authenticator app needs no step before its code.
  const challengeId = kind === 'totp' ? await openTotp(app, client, caller, factorId) : (sent.challenge_id ?? '');
  const webauthn =
    kind === 'webauthn'
      ? { type: status === 'verified' ? 'request' : 'create', credential_response: parseCredential(credential_json) }
      : undefined;
  const answer = { challengeId, code: code.replace(/[\s-]/g, ''), webauthn, trustedName: null };
  return verifyChallenge(app, client, caller, factorId, answer);
}

const openTotp = async (app: App, client: Visit['client'], caller: UserCaller, factorId: string): Promise<string> =>
  String((await challengeFactor(app, client, caller, factorId, '')).id);

/** A session with more rights gets another secret, too. */
const raise = async (visit: Visit, tokens: TokenResponse): Promise<PageOutcome> => ({
  to: pageLink(visit, 'continue'),
  secret: await keepSignIn(visit, tokens),
});
