/** /ui/error and /ui/signed-out: plain words and a way on. */
import { html } from '../../html.js';
import type { ApiError } from '../errors.js';
import { errorText, isRequestOver } from './error-texts.js';
import type { Frame, View } from './layout.js';

/** @param to where the person goes on, relative to the page */
export function showFailure(
  { words, up }: Pick<Frame, 'words' | 'up'>,
  error: ApiError,
  requestId: string,
  to: string,
): View {
  // The flow of a request that is over would lead here again.
  const [onward, label] = isRequestOver(error)
    ? [`${up}account`, words('chooser.manage')]
    : [to, words('common.back_to_sign_in')];
  const main = html`<h1>${words('error_page.title')}</h1>
<p>${errorText(words, error)}</p>
<p class="muted">${words('error_page.id', { id: requestId })}</p>
<p><a class="button" href="${onward}">${label}</a></p>`;
  return { title: words('error_page.title'), main, status: error.status };
}
