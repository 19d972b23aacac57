import type { ApiError } from '../../errors.js';
import type { CallbackOutcome } from '../../external/callback.js';
import type { Reply } from '../../http/types.js';
import { escapeHtml, plainDocument } from './plain-document.js';

/** The end of a dry run, in the browser of the operator. @param end how the attempt ended */
export function dryRunPage(end: CallbackOutcome | ApiError): Reply {
  const title = 'The dry run has ended';
  const main = `<h1>${title}</h1>
<p>${escapeHtml(inWords(end))}</p>
<p>No account, session or mail was made. Close this page: the console shows each step.</p>`;
  return { status: 200, ...plainDocument(title, main) };
}

function inWords(end: CallbackOutcome | ApiError): string {
  if ('entry' in end) return `The sign-in would have failed: ${end.message}`;
  if (!('refused' in end)) return 'The provider has signed you in, and it was decided what follows.';
  const { error, description } = end.refused;
  return `The provider refused: ${description || error}`;
}
