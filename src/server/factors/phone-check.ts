import { timingSafeEqual } from 'node:crypto';
import type { TriedChallenge } from '../../db/factors.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import { hashPhoneCode } from './phone-code.js';
import { cleanCode } from './totp.js';

/** @throws ApiError phoneCodeWrong */
export function checkPhoneCode(
  app: Pick<App, 'keys'>,
  tried: TriedChallenge,
  { challengeId, code }: FactorAnswer,
): RightAnswer {
  const stored = Buffer.from(tried.code_hash ?? '');
  const typed = cleanCode(code);
  const isRight = app.keys.factorCode.accepted(Date.now()).some((key) => {
    const hash = Buffer.from(hashPhoneCode(key, challengeId, typed));
    return hash.length === stored.length && timingSafeEqual(hash, stored);
  });
  if (!isRight) throw apiError('phoneCodeWrong');
  return {};
}
