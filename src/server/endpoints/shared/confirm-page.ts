import { pageTitleOf } from '../../message-kinds.js';
import { escapeHtml, type HtmlPage, plainDocument } from './plain-document.js';

/** Fields of the form, from the link. */
interface Link {
  readonly type: string;
  readonly linkToken: string;
}

/**
 * Renders a page with a button that redeems a link by POST. Mail scanners and previews, which fetch every URL of a
 * mail, do not press it.
 */
export function confirmPage({ type, linkToken }: Link, redirectTo: string, path: string): HtmlPage {
  // Relative, so that it also works behind a proxy with a path prefix.
  const action = path.endsWith('/') ? 'confirm' : 'verify/confirm';
  const title = pageTitleOf(type);
  const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  const main = `<h1>${title}</h1>
<p>Press the button to go on. The link works once.</p>
<form method="post" action="${action}">
${field('type', type)}
${field('token', linkToken)}
${field('redirect_to', redirectTo)}
<button type="submit" autofocus>${title}</button>
</form>`;
  return plainDocument(title, main);
}
