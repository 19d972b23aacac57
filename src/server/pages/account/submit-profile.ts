/** What the forms of /ui/account/profile do. */
import { noteAddress } from '../../../db/pages.js';
import { updateOwnUser } from '../../accounts/update-user.js';
import { verifyCode } from '../../codes/verify.js';
import { apiError } from '../../errors.js';
import { pageLinkTarget } from '../../mail/page-link.js';
import { keepSignIn } from '../browser.js';
import { pageLink } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { NO_CHANGE } from '../password-form.js';
import type { Visit } from '../visit.js';
import { type AccountVisit, comeBack, sectionLink, submitToAccount } from './account-visit.js';

export interface ProfileForm {
  readonly action?: string;
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly code?: string;
}

/** @throws ApiError those of updateOwnUser() and verifyCode() */
export const submitProfile = (visit: Visit, sent: ProfileForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'profile', async (opened) => {
    const { email, new_email, new_phone } = opened.caller.user;
    switch (sent.action) {
      case 'email':
        return change(opened, { email: sent.email?.trim() ?? '' });
      case 'phone':
        return change(opened, { phone: sent.phone?.replace(/[\s().-]/g, '') ?? '' });
      case 'confirm_current':
        return confirm(opened, 'email', email, sent.code);
      case 'confirm_new':
        return confirm(opened, 'email', new_email, sent.code);
      case 'confirm_phone':
        return confirm(opened, 'phone', new_phone, sent.code);
      default:
        // Null removes it.
        return change(opened, { data: { name: sent.name?.trim() || null } });
    }
  });

type Change = Partial<Pick<Parameters<typeof updateOwnUser>[3], 'email' | 'phone' | 'data'>>;

async function change(visit: AccountVisit, changes: Change): Promise<PageOutcome> {
  const { app, client, caller, flow, secretHash } = visit;
  if (changes.email === '' || changes.phone === '') throw apiError('contactMissing');
  // The link of the mail goes on here only in this browser.
  if (changes.email) {
    const sent = { type: null, wantsPassword: false, browserHash: secretHash };
    await noteAddress(app.db, flow.id, flow.address, sent);
    await comeBack(visit, 'profile');
  }
  const redirectTo = pageLinkTarget(app.config, flow.id);
  const after = await updateOwnUser(app, client, caller, { ...NO_CHANGE, ...changes, redirectTo });
  const isSent =
    (changes.email !== undefined && after['new_email'] !== undefined) ||
    (changes.phone !== undefined && after['new_phone'] !== undefined);
  return { to: sectionLink(visit, 'profile', isSent ? 'sent' : 'saved') };
}

/** The session after a change of the address is another one, as after every code. */
async function confirm(
  visit: AccountVisit,
  channel: 'email' | 'phone',
  address: string | null,
  code = '',
): Promise<PageOutcome> {
  const { app, client, caller } = visit;
  if (!address) return { to: sectionLink(visit, 'profile') };
  const verified = await verifyCode(app, client, {
    type: channel === 'email' ? 'email_change' : 'phone_change',
    contact: { channel, address },
    code: code.replace(/[\s-]/g, ''),
    audience: caller.user.aud,
    password: '',
  });
  if (verified.outcome !== 'signed_in') return { to: sectionLink(visit, 'profile', 'half') };
  await comeBack(visit, 'profile');
  return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, verified.tokens) };
}
