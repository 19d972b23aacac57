/** /ui/recover: a forgotten password. */
import { html } from '../../html.js';
import { addressField } from './address.js';
import { button, captchaBox, form, pageLink } from './form.js';
import type { View } from './layout.js';
import type { Visit } from './visit.js';

export function showRecover(visit: Visit): View {
  const { words } = visit;
  const main = html`<h1>${words('recover.title')}</h1>
<p>${words('recover.text')}</p>
${form(visit, 'recover', html`${addressField(visit, 'username', true)}${captchaBox(visit)}${button(words('recover.submit'))}`)}
<p><a href="${pageLink(visit, 'sign-in')}">${words('common.back_to_sign_in')}</a></p>`;
  return { title: words('recover.title'), main, hasCaptcha: true };
}
