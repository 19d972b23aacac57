/** The frame of the pages under /ui/account: which parts there are, and the way back to the application. */
import { html, Markup } from '../../../html.js';
import { placeOf } from '../continue.js';
import type { View } from '../layout.js';
import type { PageOf } from '../outcome.js';
import { markName } from '../person.js';
import {
  type AccountPart,
  type AccountVisit,
  type Done,
  doneTexts,
  openAccount,
  sectionLink,
  sectionsOf,
  sectionTitles,
} from './account-visit.js';

/** Of a button that takes something away. */
export const DANGER = new Markup(' class="danger"');
const CURRENT = new Markup(' aria-current="page"');

/**
 * Makes a page of a section.
 * @param show everything below the heading
 */
export const sectionPage =
  (section: AccountPart, show: (visit: AccountVisit) => Markup | Promise<Markup>): PageOf =>
  async (visit) => {
    const opened = await openAccount(visit, section);
    return 'to' in opened ? opened : frameSection(opened, await show(opened));
  };

/**
 * A page of a section with other content, such as a secret that is shown once.
 * @param title that of the section
 */
export function frameSection(
  visit: AccountVisit,
  content: Markup,
  title = visit.words(sectionTitles[visit.section]),
): View {
  const { words, query, caller } = visit;
  const done = query.get('done') ?? '';
  const nav = html`<nav aria-label="${words('account.title')}">
<ul class="sections">${sectionsOf(visit).map((one) => sectionTab(visit, one))}</ul>
</nav>`;
  const main = html`<h1>${title} <small>${markName(visit, caller.user)}</small></h1>
${content}
${wayBack(visit)}`;
  return { title, main, nav, notice: Object.hasOwn(doneTexts, done) ? doneTexts[done as Done] : undefined };
}

const sectionTab = (visit: AccountVisit, section: AccountPart): Markup =>
  html`<li><a href="${sectionLink(visit, section)}"${section === visit.section && CURRENT}>${visit.words(section === '' ? 'account.overview' : sectionTitles[section])}</a></li>`;

/** To the application that has led here. Checked again: URI_ALLOW_LIST may have changed since. */
function wayBack({ app, flow, words }: AccountVisit): Markup | null {
  if (flow.redirect_to === null) return null;
  const { url } = app.redirects.choose([flow.redirect_to]);
  return html`<p><a href="${url}" rel="noreferrer">${words('account.back', { host: placeOf(url) })}</a></p>`;
}
