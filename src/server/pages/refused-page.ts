/** /ui/refused: a client that registered itself has asked for something that cannot be done. */
import { html } from '../../html.js';
import type { Frame, View } from './layout.js';

/** @param to the address of the client, with the error */
export function showRefused({ words }: Pick<Frame, 'words'>, to: string): View {
  const { host } = new URL(to);
  const title = words('error_page.title');
  const main = html`<h1>${title}</h1>
<p>${words('refused.text', { host })}</p>
<p><a class="button plain" href="${to}" rel="noreferrer">${words('hop.link', { host })}</a></p>`;
  return { title, main, status: 400 };
}
