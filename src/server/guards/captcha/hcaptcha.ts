import type { CaptchaService } from './contract.js';

/** https://docs.hcaptcha.com/#verify-the-user-response-server-side */
export const hcaptcha: CaptchaService = {
  name: 'hcaptcha',
  url: 'https://hcaptcha.com/siteverify',
  secretFaults: ['missing-input-secret', 'invalid-input-secret', 'sitekey-secret-mismatch'],
};
