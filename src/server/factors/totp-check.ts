import type { TriedChallenge } from '../../db/factors.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import type { OwnFactor } from './own-factor.js';
import { matchTotp } from './totp.js';

/**
 * A code is accepted once: its step must be later than that of the last one (RFC 6238 5.2). The statement that applies
 * the answer decides that again.
 * @throws ApiError totpCodeWrong
 */
export function checkTotp(
  app: Pick<App, 'config' | 'factorSecrets'>,
  factor: OwnFactor,
  tried: TriedChallenge,
  { code }: FactorAnswer,
): RightAnswer {
  const secret = tried.secret === null ? null : app.factorSecrets.open(factor.id, tried.secret);
  if (secret === null) throw new Error('The secret of a factor cannot be opened with any key of this server.');
  const match = matchTotp(secret, code, { nowSeconds: Date.now() / 1000, skewSteps: app.config.mfaTotpSkew });
  if (match === null) throw apiError('totpCodeWrong');
  if (tried.last_step !== null && match.step <= Number(tried.last_step)) throw apiError('totpCodeWrong');
  return { step: match.step };
}
