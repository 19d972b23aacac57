/** /ui/sign-up: a new account with a password. */
import { html, type Markup } from '../../html.js';
import { signUp } from '../accounts/sign-up.js';
import { apiError } from '../errors.js';
import type { TokenResponse } from '../sessions/open.js';
import { addressField, findWrongFields, readContact, sendingOf } from './address.js';
import { keepSignIn } from './browser.js';
import { companyLink } from './company.js';
import { button, captchaBox, form, type PasswordField, pageLink, passwordField } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { listProviderLinks } from './provider-links.js';
import { noteSent } from './sent-code.js';
import type { Visit } from './visit.js';

export async function showSignUp(visit: Visit): Promise<View> {
  const { words, app, error } = visit;
  const { externalEmailEnabled, externalPhoneEnabled, disableSignup } = app.config;
  const title = words('sign_up.title');
  const signIn = html`<p>${words('sign_up.have_account')} <a href="${pageLink(visit, 'sign-in')}">${words('sign_in.submit')}</a></p>`;
  if (disableSignup) {
    return {
      title,
      main: html`<h1>${title}</h1>${error === null && html`<p>${words('error.sign_up_off')}</p>`}${signIn}`,
    };
  }
  const hasAddress = externalEmailEnabled || externalPhoneEnabled;
  const company = await companyLink(visit);
  const providers = [...listProviderLinks(visit), ...(company === null ? [] : [company])];
  const main = html`<h1>${title}</h1>
${hasAddress && newAccountForm(visit)}
${hasAddress && providers.length > 0 && html`<p class="or">${words('common.or')}</p>`}
${providers.length > 0 && html`<div class="stack">${providers}</div>`}
${signIn}`;
  return { title, main, hasCaptcha: hasAddress };
}

function newAccountForm(visit: Visit): Markup {
  const { words, app } = visit;
  // People do not see this field; programs that fill in every field do.
  const trap = html`<div class="trap" aria-hidden="true"><label>${words('sign_up.website')} <input name="website" tabindex="-1" autocomplete="off"></label></div>`;
  const passwordOf: PasswordField = {
    name: 'password',
    label: words('common.password'),
    autocomplete: 'new-password',
    isWrong: findWrongFields(visit).password,
    isFirst: visit.address !== '',
    minLength: app.config.passwordMinLength,
  };
  return form(
    visit,
    'sign-up',
    html`${addressField(visit, 'username')}${passwordField(words, passwordOf)}${trap}
${captchaBox(visit)}${button(words('sign_up.submit'))}`,
  );
}

export interface SignUpForm {
  readonly password?: string;
  readonly website?: string;
}

/** Known and unknown addresses lead to the same page, unless addresses are confirmed automatically. @throws ApiError those of {@link signUp} */
export async function submitSignUp(visit: Visit, { password = '', website = '' }: SignUpForm): Promise<PageOutcome> {
  const { app, client, address } = visit;
  if (website !== '') throw apiError('captchaFailed', { reasons: 'hidden field' });
  const contact = readContact(app.config, address);
  if (!contact.email && !contact.phone) throw apiError('contactMissing');
  const answer = await signUp(app, client, {
    ...contact,
    password,
    data: { locale: visit.language.tag },
    channel: '',
    ...sendingOf(visit),
  });
  if ('access_token' in answer) {
    return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, answer as TokenResponse) };
  }
  return noteSent(visit, contact.email ? 'signup' : 'sms');
}
