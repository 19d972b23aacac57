import type { Route } from '../http/types.js';
import type { CapturedMail } from '../mail/mailer.js';
import type { TestInternet } from '../outbound/public-address.js';
import type { SmsSink } from '../sms/log-gateway.js';
import type { App } from './app.js';

/** Replacements of external services, under `latchkey dev` and in tests. */
export interface Development {
  /** Receives mails while no mail server is set. */
  readonly captureMail: (mail: CapturedMail) => void;
  /** Receives texts of SMS_PROVIDER=log. */
  readonly captureSms: SmsSink;
  /** Routes that are no endpoints of the API. */
  readonly routes: readonly Route<App>[];
  /** In tests alone. */
  readonly internet?: TestInternet;
}
