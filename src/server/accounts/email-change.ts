import type { App } from '../app.js';
import type { MailPlan } from './one-time.js';

/**
 * The mails of an email change (delivery.md 5.5): to the new address, and with the secure change also to the current
 * one, so that both sides agree.
 */
export function emailChangePlans(app: Pick<App, 'config'>, current: string | null, next: string): MailPlan[] {
  const plan = (kind: 'email_change_new' | 'email_change_current', to: string): MailPlan => ({
    kind,
    to,
    mailKind: 'email_change',
    linkType: 'email_change',
  });
  const plans = [plan('email_change_new', next)];
  if (current && app.config.mailerSecureEmailChangeEnabled) plans.push(plan('email_change_current', current));
  return plans;
}
