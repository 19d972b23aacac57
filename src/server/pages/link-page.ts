/** /ui/link: where links of mails lead. Programs that look at mails open links; a person presses the button. */

import { noteAddress } from '../../db/pages.js';
import { html } from '../../html.js';
import { verifyLink } from '../codes/verify.js';
import { findByLink } from '../codes/verify-lookup.js';
import { INVITATION_TYPE } from '../organizations/invitation-mail.js';
import { keepSignIn } from './browser.js';
import { beginPageFlow } from './flow.js';
import { button, form, hidden, pageLink } from './form.js';
import { showInvitation, submitDecline } from './invitation-page.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** Shows whose link it is, without redeeming it. @throws ApiError linkInvalid, userBanned, organizationsDisabled */
export async function showLink(visit: Visit): Promise<View> {
  const { app, words, flow, error, query, form: sent } = visit;
  const type = sent.get('type') ?? query.get('type') ?? '';
  const token = sent.get('token') ?? query.get('token') ?? '';
  if (error !== null) {
    const title = words('error_page.title');
    const again = html`<p><a class="button" href="${pageLink(visit, 'sign-in')}">${words('common.back_to_sign_in')}</a></p>`;
    return { title, main: html`<h1>${title}</h1>${again}` };
  }
  if (type === INVITATION_TYPE) return showInvitation(visit, type, token);
  const title = words('link.title');
  const { recipient: address } = await findByLink(app, type, token);
  const isElsewhere = flow.browser_hash !== null && flow.browser_hash !== visit.secretHash;
  const main = html`<h1>${title}</h1>
<p>${words('link.text', { address })}</p>
${isElsewhere && html`<p>${words('link.other_device')}</p>`}
${form(visit, 'link', html`${hidden('address', address)}${hidden('type', type)}${hidden('token', token)}${button(words('link.submit', { address }))}`)}`;
  return { title, main };
}

export interface LinkForm {
  readonly type?: string;
  readonly token?: string;
  readonly action?: string;
}

/** Types of links after which the person sets a password. */
const SETS_PASSWORD: readonly string[] = ['recovery', 'invite'];

/** @throws ApiError those of {@link verifyLink} */
export async function submitLink(visit: Visit, { type = '', token = '', action }: LinkForm): Promise<PageOutcome> {
  const { app, client, words } = visit;
  if (type === INVITATION_TYPE && action === 'decline') return submitDecline(visit, token);
  const flow = await flowFor(visit);
  const redemption = { type, linkToken: token, password: '', isNavigation: false };
  const verified = await verifyLink(app, client, redemption);
  if (verified.outcome !== 'signed_in') {
    const title = words('link.half_title');
    return { view: { title, main: html`<h1>${title}</h1><p>${words('link.half')}</p>` } };
  }
  const here = { ...visit, flow };
  if (SETS_PASSWORD.includes(type) && !flow.wants_password) {
    await noteAddress(app.db, flow.id, flow.address, {
      type: null,
      wantsPassword: true,
      browserHash: flow.browser_hash,
    });
  }
  return { to: pageLink(here, 'continue'), secret: await keepSignIn(here, verified.tokens) };
}

/** On another device the application could not use the auth code: there the sign-in ends with the pages. */
async function flowFor({ app, flow, secretHash }: Visit) {
  if (flow.browser_hash === null || flow.browser_hash === secretHash) return flow;
  const { languages, address, wants_password } = flow;
  return beginPageFlow(app, { kind: 'account', languages, address, wantsPassword: wants_password });
}
