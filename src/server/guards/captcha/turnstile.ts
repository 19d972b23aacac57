import type { CaptchaService } from './contract.js';

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export const turnstile: CaptchaService = {
  name: 'turnstile',
  url: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  secretFaults: ['missing-input-secret', 'invalid-input-secret'],
};
