/** What every page under /ui/account begins with: who is signed in, and whether something comes first. */
import { type BrowserAccount, noteReturn, useSessionInFlow } from '../../../db/pages.js';
import type { Config } from '../../config/settings.js';
import { ApiError, type ErrorName } from '../../errors.js';
import { factorKinds } from '../../factors/kinds.js';
import type { UserCaller } from '../../sessions/caller.js';
import { hasVerifiedFactor } from '../../sessions/verified-factor.js';
import { accountOf, callerOf } from '../browser.js';
import { accountPath, findMissingStep, UNFINISHED } from '../continue.js';
import type { TextKey } from '../contract.js';
import { pageLink } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { otherAccountLink, signInAgain } from '../sign-in-links.js';
import type { Visit } from '../visit.js';

/** A visit of somebody who is signed in. */
export interface AccountVisit extends Visit {
  readonly caller: UserCaller;
  readonly account: BrowserAccount;
  readonly section: AccountPart;
  /** Path of the page below /ui/account: the section, or a page of it. */
  readonly place: string;
}

/** A part of the page; empty: the overview. */
export type AccountPart =
  | ''
  | 'profile'
  | 'password'
  | 'passkeys'
  | 'factors'
  | 'identities'
  | 'sessions'
  | 'apps'
  | 'organizations'
  | 'invitations'
  | 'download'
  | 'delete';

type Offer = (config: Config, user: UserCaller['user']) => boolean;

/** The parts of the page, in their order, and for whom they are; the first is the overview. */
const offers: Readonly<Record<AccountPart, Offer>> = {
  '': () => true,
  profile: () => true,
  password: (_config, { is_anonymous, is_sso_user }) => !is_anonymous && !is_sso_user,
  passkeys: (config, { is_anonymous }) => config.passkeyEnabled && !is_anonymous,
  factors: (config, { is_anonymous, factors }) =>
    !is_anonymous &&
    ((factors ?? []).length > 0 || Object.values(factorKinds).some(({ mayEnrol }) => mayEnrol(config))),
  identities: (_config, { is_anonymous }) => !is_anonymous,
  sessions: () => true,
  apps: (config) => config.oauthServerEnabled,
  organizations: (config) => config.organizationsEnabled,
  invitations: (config, { is_anonymous }) => config.organizationsEnabled && !is_anonymous,
  download: () => true,
  delete: (config) => config.pagesAccountDeletionEnabled,
};

/** The parts that the person has. */
export const sectionsOf = ({ app, caller }: Pick<AccountVisit, 'app' | 'caller'>): readonly AccountPart[] =>
  (Object.keys(offers) as AccountPart[]).filter((section) => offers[section](app.config, caller.user));

export const sectionTitles: Readonly<Record<AccountPart, TextKey>> = {
  '': 'account.title',
  profile: 'account.profile',
  password: 'account.password',
  passkeys: 'account.passkeys',
  factors: 'account.factors',
  identities: 'account.identities',
  sessions: 'account.sessions',
  apps: 'account.apps',
  organizations: 'account.organizations',
  invitations: 'account.invitations',
  download: 'account.download',
  delete: 'account.delete',
};

/** Address of a section. @param done what to say there */
export const sectionLink = (visit: Pick<Visit, 'up' | 'flow'>, section: AccountPart, done?: Done): string =>
  placeLink(visit, section, done);

/** The same of a page of a section. @param place path below /ui/account */
export const placeLink = (visit: Pick<Visit, 'up' | 'flow'>, place: string, done?: Done): string =>
  pageLink(visit, accountPath(place)) + (done === undefined ? '' : `&done=${done}`);

/** What was done, which the page says after the redirect that follows a form. */
export const doneTexts = {
  saved: 'account.done_saved',
  added: 'account.done_added',
  removed: 'account.done_removed',
  sent: 'account.done_sent',
  half: 'account.done_half',
  ended: 'account.done_ended',
  revoked: 'account.done_revoked',
  switched: 'organizations.done_switched',
  left: 'organizations.done_left',
  gone: 'organizations.done_gone',
  invited: 'invitations.done_invited',
  resent: 'invitations.done_resent',
  withdrawn: 'invitations.done_withdrawn',
  verified: 'domains.done_verified',
  joined: 'account.done_joined',
  declined: 'account.done_declined',
  over: 'error.invitation',
} as const satisfies Readonly<Record<string, TextKey>>;

export type Done = keyof typeof doneTexts;

/**
 * Finds the person. A flow of the account page goes on with the account that it began with, whatever other tabs do.
 * @param place path of the page below /ui/account
 * @returns where the browser goes first: to the sign-in, or to what that still lacks
 * @throws ApiError those of callerOf()
 */
export async function openAccount(
  visit: Visit,
  section: AccountPart,
  place: string = section,
): Promise<AccountVisit | { readonly to: string; readonly view?: never }> {
  const { app, flow, accounts } = visit;
  // The page of another flow would lead away from here after a sign-in.
  if (flow.kind !== 'manage') return { to: `${visit.up}${accountPath(place)}` };
  const account = flow.session_id === null ? accounts[0] : accountOf(visit);
  if (account === undefined) {
    await comeBack(visit, place);
    return { to: flow.session_id === null ? pageLink(visit, 'sign-in') : signInAgain(visit) };
  }
  if (flow.session_id === null) await useSessionInFlow(app.db, flow.id, account.session_id, '');
  const caller = await callerOf(app, account, UNFINISHED);
  const missing = findMissingStep({ app, flow: { ...flow, wants_factor: false } }, caller);
  if (missing !== null) {
    await comeBack(visit, place);
    return { to: pageLink(visit, missing) };
  }
  const opened = { ...visit, caller, account, section, place };
  return sectionsOf(opened).includes(section) ? opened : { to: sectionLink(visit, '') };
}

/** Where the person goes after what comes first. @param place path below /ui/account */
export const comeBack = (
  { app, flow }: Visit,
  place: string,
  more: { wantsFactor?: true; address?: string | null } = {},
) =>
  noteReturn(app.db, flow.id, {
    section: place,
    wantsFactor: more.wantsFactor ?? false,
    address: more.address ?? null,
  });

/** Somebody else was faster, or the form was sent twice: what it wanted is so. */
const gone: ReadonlySet<ErrorName> = new Set([
  'grantNotFound',
  'passkeyNotFound',
  'factorNotFound',
  'recoveryCodesMissing',
  'identityNotFound',
  'trustedDeviceNotFound',
  'memberNotFound',
  'invitationNotFound',
  'domainNotFound',
  'ssoIdentityProviderNotFound',
  'clientNotFound',
  'customProviderNotFound',
  'scimTokenNotFound',
]);

/**
 * Runs what a form of a section does.
 * @returns a page that comes first, where the rules ask for a newer sign-in or second factor
 * @throws ApiError what `submit` throws, these errors aside
 */
export async function submitToAccount(
  visit: Visit,
  section: AccountPart,
  submit: (opened: AccountVisit) => Promise<PageOutcome>,
  place: string = section,
): Promise<PageOutcome> {
  const opened = await openAccount(visit, section, place);
  if ('to' in opened) return opened;
  try {
    return await submit(opened);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (gone.has(error.entry)) return { to: placeLink(visit, place) };
    if (error.errorCode === 'insufficient_aal' || error.errorCode === 'mfa_step_up_required') return stepUp(opened);
    if (error.entry === 'signInTooOld') return proveAgain(opened);
    throw error;
  }
}

/** To /ui/mfa, and back. */
export async function stepUp(visit: AccountVisit): Promise<{ readonly to: string }> {
  await comeBack(visit, visit.place, { wantsFactor: true });
  return { to: pageLink(visit, 'mfa') };
}

/** To what shows soonest that it is still the same person. */
async function proveAgain(visit: AccountVisit): Promise<{ readonly to: string }> {
  const { user } = visit.caller;
  if (hasVerifiedFactor(user)) return stepUp(visit);
  await comeBack(visit, visit.place, { address: user.email ?? user.phone });
  return { to: otherAccountLink(visit) };
}
