import type { TriedChallenge } from '../../db/factors.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { WrongAnswer } from './attempt.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import type { OwnFactor } from './own-factor.js';
import { findTotpDrift, matchTotp } from './totp.js';

/**
 * A code is accepted once: its step must be later than that of the last one (RFC 6238 5.2). The statement that applies
 * the answer decides that again.
 * @throws ApiError totpCodeWrong
 */
export function checkTotp(
  app: Pick<App, 'config' | 'factorSecrets' | 'log'>,
  factor: OwnFactor,
  tried: TriedChallenge,
  { code }: FactorAnswer,
): RightAnswer {
  const secret = tried.secret === null ? null : app.factorSecrets.open(factor.id, tried.secret);
  if (secret === null) throw new Error('The secret of a factor cannot be opened with any key of this server.');
  const clock = { nowSeconds: Date.now() / 1000, skewSteps: app.config.mfaTotpSkew };
  const match = matchTotp(secret, code, clock);
  if (match === null) {
    const drift = findTotpDrift(secret, code, clock);
    if (drift === null) throw apiError('totpCodeWrong');
    const fields = { component: 'factors', factor_id: factor.id, offset_steps: drift };
    app.log.info(
      fields,
      'A code of an authenticator app is right for another time: its clock or that of the server is wrong.',
    );
    throw apiError('totpCodeWrong', {}, { cause: new WrongAnswer('drift') });
  }
  if (tried.last_step !== null && match.step <= Number(tried.last_step)) {
    throw apiError('totpCodeWrong', {}, { cause: new WrongAnswer('replayed') });
  }
  return match;
}
