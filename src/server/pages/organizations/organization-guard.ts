/** What only a session with a second factor may change, where the person has one. */
import { html, type Markup } from '../../../html.js';
import { ApiError } from '../../errors.js';
import { assertMayChangeAccess } from '../../organizations/access-guard.js';
import { OWNER } from '../../organizations/role-catalog.js';
import type { AccountVisit } from '../account/account-visit.js';
import { accountPath } from '../continue.js';
import { button, form, hidden } from '../form.js';

/** Value of the field `action` of a form that leads to the second factor, and back. */
export const RAISE = 'raise';

/** Whether a change would be let through. The endpoints ask again. */
export async function isRaised({ app, caller }: AccountVisit): Promise<boolean> {
  try {
    await assertMayChangeAccess(app, caller);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** In place of the forms, so that what is typed there is not lost on the way. */
export const raiseForm = (visit: AccountVisit): Markup =>
  html`<p>${visit.words('guard.text')}</p>
${form(visit, accountPath(visit.place), html`${hidden('action', RAISE)}${button(visit.words('guard.submit'))}`)}`;

/** Roles that the session may give, of those that the person may: without the second factor no owners. */
export async function rolesInReach(visit: AccountVisit, roles: readonly string[]) {
  const needsFactor = roles.includes(OWNER) && !(await isRaised(visit));
  return { needsFactor, roles: needsFactor ? roles.filter((role) => role !== OWNER) : roles };
}
