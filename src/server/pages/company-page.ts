/** /ui/company: the address or the domain of a company, whose people sign in at its identity provider. */
import { html } from '../../html.js';
import { apiError } from '../errors.js';
import { atCompanyLink, findCompany, keepTyped } from './company.js';
import { button, field, form } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { otherAccountLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

export function showCompany(visit: Visit): View {
  const { words, address, error } = visit;
  const title = words('sign_in.with_company');
  const attributes = {
    type: 'text',
    inputmode: 'email',
    autocomplete: 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    value: address,
    required: true,
    maxlength: '320',
    autofocus: true,
  } as const;
  const isWrong = error?.entry === 'ssoDomainNotFound';
  const main = html`<h1>${title}</h1>
<p>${words('company.text')}</p>
${form(visit, 'company', html`${field('address', words('company.field'), attributes, isWrong)}${button(words('sign_in.next'))}`)}
<p><a href="${otherAccountLink(visit)}">${words('common.back_to_sign_in')}</a></p>`;
  return { title, main };
}

/** @throws ApiError ssoDomainNotFound */
export async function submitCompany(visit: Visit): Promise<PageOutcome> {
  const company = await findCompany(visit);
  if (company === undefined) throw apiError('ssoDomainNotFound');
  // What was typed may be the domain alone, with which nobody signs in otherwise.
  if (visit.address.includes('@')) await keepTyped(visit);
  return { to: atCompanyLink(visit, company.provider) };
}
