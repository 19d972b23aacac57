import type { App } from '../runtime/app.js';
import type { MailPlan } from './one-time.js';

/**
 * Plans the mails of an email change: to the new address, and with MAILER_SECURE_EMAIL_CHANGE_ENABLED also to the
 * current one. Autoconfirm of sign-ups changes nothing here: a stolen session would take the account away.
 * @param current confirmed address of the account, or null
 */
export function planEmailChange(app: Pick<App, 'config'>, current: string | null, next: string): MailPlan[] {
  const plans: MailPlan[] = [{ mail: 'email_change', code: 'email_change_new', to: next }];
  if (current && app.config.mailerSecureEmailChangeEnabled) {
    plans.push({ mail: 'email_change', code: 'email_change_current', to: current });
  }
  return plans;
}
