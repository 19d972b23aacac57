/** /ui/account/download: the own data as a file. */
import { html, type Markup } from '../../../html.js';
import { attributesOf, button, form } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, submitToAccount } from './account-visit.js';
import { collectOwnData } from './own-data.js';

const AGAIN = attributesOf({ 'data-again': true });

export const downloadPage = sectionPage('download', showDownload);

function showDownload(visit: AccountVisit): Markup {
  const { words } = visit;
  // The answer is no page, so the form may be sent again.
  return html`<p>${words('download.text')}</p>${form(visit, 'account/download', button(words('download.submit')), AGAIN)}`;
}

export const submitDownload = (visit: Visit): Promise<PageOutcome> =>
  submitToAccount(visit, 'download', async (opened) => ({
    file: {
      name: 'account.json',
      type: 'application/json; charset=utf-8',
      text: `${JSON.stringify(await collectOwnData(opened), null, 2)}\n`,
    },
  }));
