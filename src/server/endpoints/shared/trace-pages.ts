/** What the browser of a traced sign-in shows of ours: before it, and at the end of a dry run. */
import type { ApiError } from '../../errors.js';
import type { CallbackOutcome } from '../../external/callback.js';
import type { AnnouncedTrace } from '../../external/tracing/attempt-trace.js';
import { TRACE_PARAMETER } from '../../external/tracing/describe-step.js';
import type { Reply } from '../../http/types.js';
import { escapeHtml, plainDocument } from './plain-document.js';

/** @param query of /authorize, which the link repeats. @param name of the provider, as people know it */
export function announcementPage(
  query: ReadonlyMap<string, string>,
  { isDry, ticket }: AnnouncedTrace,
  name: string,
): Reply {
  const title = 'An operator looks on';
  const next = new URLSearchParams([...query]);
  next.set(TRACE_PARAMETER, ticket);
  const what = isDry
    ? 'It is a dry run: you are not signed in, and no account is made.'
    : 'You are signed in as usual. An account may be made.';
  // Relative, so that it also works behind a proxy with a path prefix.
  const main = `<h1>${title}</h1>
<p>To find out why signing in does not work, an operator of this server sees each step of this attempt, and what ${escapeHtml(name)} tells about you: your name and address there, but no password.</p>
<p>${what}</p>
<p><a class="button" href="?${escapeHtml(next.toString())}" rel="nofollow">Go on</a></p>`;
  return { status: 200, ...plainDocument(title, main) };
}

/** The end of a dry run. @param end how the attempt ended */
export function dryRunPage(end: CallbackOutcome | ApiError | 'passed'): Reply {
  const title = 'The dry run has ended';
  const main = `<h1>${title}</h1>
<p>${escapeHtml(inWords(end))}</p>
<p>No account, session or mail was made. Close this page: the console shows each step.</p>`;
  return { status: 200, ...plainDocument(title, main) };
}

function inWords(end: CallbackOutcome | ApiError | 'passed'): string {
  if (end === 'passed') return 'The provider has signed you in, and every check has passed.';
  if ('entry' in end) return `The sign-in would have failed: ${end.message}`;
  if (!('refused' in end)) return 'The provider has signed you in, and it was decided what follows.';
  const { error, description } = end.refused;
  return `The provider refused: ${description || error}`;
}
