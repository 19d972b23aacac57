/** What every page of one organization begins with: the member, and what the roles of that member permit. */
import { readUuid } from '../../../db/uuid.js';
import { html, type Markup } from '../../../html.js';
import { ApiError } from '../../errors.js';
import { readOwnStanding } from '../../organizations/own-standing.js';
import { frameSection } from '../account/account-frame.js';
import { type AccountVisit, openAccount, sectionLink, stepUp, submitToAccount } from '../account/account-visit.js';
import { accountPath } from '../continue.js';
import type { View } from '../layout.js';
import type { PageOf, PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { RAISE } from './organization-guard.js';
import {
  mayOpen,
  type OrganizationPart,
  type OrganizationVisit,
  organizationLink,
  organizationPlace,
} from './organization-place.js';
import { showRefusal } from './organization-refusal.js';

/**
 * Makes a page of an organization. Where its policies refuse the session, the page says what helps in place of what it shows otherwise.
 * @param show everything below the heading
 */
export const makeOrganizationPage =
  (part: OrganizationPart, show: (visit: OrganizationVisit) => Promise<Markup>): PageOf =>
  async (visit) => {
    const id = idOf(visit);
    if (id === null) return toList(visit);
    const opened = await openAccount(visit, 'organizations', organizationPlace(id, part));
    if ('to' in opened) return opened;
    const entered = await enter(opened, id);
    if (entered === null) return { to: sectionLink(visit, 'organizations', 'gone') };
    if (entered.own.refusal !== null) {
      const view = frameOrganization(entered, '', await showRefusal(entered, entered.own.refusal));
      return { ...view, status: visit.error?.status ?? 403 };
    }
    return mayOpen(entered, part)
      ? frameOrganization(entered, part, await show(entered))
      : { to: organizationLink(visit, id) };
  };

const idOf = ({ request }: Visit): string | null => readUuid(request.params['id'] ?? '');

/** Without the flow: one that such an address has begun is not of the account page. */
const toList = ({ up }: Visit) => ({ to: `${up}${accountPath('organizations')}` });

/** @returns null for one that there is not, or that the person is no member of */
async function enter(opened: AccountVisit, id: string): Promise<OrganizationVisit | null> {
  try {
    return { ...opened, own: await readOwnStanding(opened.app, opened.caller, id) };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.entry === 'organizationNotFound';

/** With the way up. */
function frameOrganization(visit: OrganizationVisit, part: OrganizationPart, content: Markup): View {
  const { words, own } = visit;
  const { id, name } = own.organization;
  const [to, label] =
    part === ''
      ? ([sectionLink(visit, 'organizations'), words('organizations.all')] as const)
      : ([organizationLink(visit, id), name] as const);
  const title = part === '' ? name : words(`organizations.${part}`);
  return frameSection(visit, html`<p><a href="${to}"><bdi>${label}</bdi></a></p>${content}`, title);
}

/**
 * Runs what a form of an organization does. What the member may not do is refused by the rule, whatever the page has offered.
 * @throws ApiError what `submit` throws
 */
export async function submitToOrganization(
  visit: Visit,
  part: OrganizationPart,
  submit: (opened: AccountVisit, organizationId: string) => Promise<PageOutcome>,
): Promise<PageOutcome> {
  const id = idOf(visit);
  if (id === null) return toList(visit);
  try {
    const place = organizationPlace(id, part);
    const submitOrRaise = (opened: AccountVisit) =>
      visit.form.get('action') === RAISE ? stepUp(opened) : submit(opened, id);
    return await submitToAccount(visit, 'organizations', submitOrRaise, place);
  } catch (error) {
    if (isGone(error)) return { to: sectionLink(visit, 'organizations', 'gone') };
    throw error;
  }
}
