/** /ui/error and /ui/signed-out: plain words and a way on. */
import { html } from '../../html.js';
import type { ApiError } from '../errors.js';
import { errorText } from './error-texts.js';
import type { Frame, View } from './layout.js';

/** @param to where the person goes on, relative to the page */
export function showFailure({ words }: Pick<Frame, 'words'>, error: ApiError, requestId: string, to: string): View {
  const main = html`<h1>${words('error_page.title')}</h1>
<p>${errorText(words, error)}</p>
<p class="muted">${words('error_page.id', { id: requestId })}</p>
<p><a class="button" href="${to}">${words('error_page.on')}</a></p>`;
  return { title: words('error_page.title'), main, status: error.status };
}
