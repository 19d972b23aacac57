/** Addresses of /ui/sign-in in its states. */
import { pageLink } from './form.js';
import type { Visit } from './visit.js';

type LinkVisit = Pick<Visit, 'up' | 'flow'>;

/** Asks for the form although somebody is signed in. */
export const OTHER_ACCOUNT = 'other';

/** Leads to the form. */
export const otherAccountLink = (visit: LinkVisit): string => `${pageLink(visit, 'sign-in')}&account=${OTHER_ACCOUNT}`;

/** Leads to the form with a password, where the address is asked for first. */
export const otherWaysLink = (visit: LinkVisit): string => `${otherAccountLink(visit)}&step=password`;

/** Leads to the page when a session has ended in the meantime. */
export const signInAgain = (visit: LinkVisit): string => `${pageLink(visit, 'sign-in')}&ended=1`;
