/** What the two captcha services have in common: one call, one shape of answer. */
export interface CaptchaService {
  /** As an operator writes it in AUTH_SECURITY_CAPTCHA_PROVIDER. */
  readonly name: string;
  /** The public address of the verification call. */
  readonly url: string;
  /** Codes of an answer that mean that our secret is at fault, not the person. */
  readonly secretFaults: readonly string[];
}
