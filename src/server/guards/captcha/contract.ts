/** A captcha service. All have the same call and answer. */
export interface CaptchaService {
  /** Value of AUTH_SECURITY_CAPTCHA_PROVIDER. */
  readonly name: string;
  /** URL of the verification call. */
  readonly url: string;
  /** Error codes that mean that our secret is wrong. */
  readonly secretFaults: readonly string[];
}
