/** /ui/sign-in: accounts of this browser, or the form. */
import { html, type Markup } from '../../html.js';
import type { Config } from '../config/settings.js';
import { beginSignIn } from '../passkeys/passkey-sign-in.js';
import { addressField, findWrongFields } from './address.js';
import { type CompanySignIn, companyLink, findCompany, otherWays } from './company.js';
import { attributesOf, button, captchaBox, form, hidden, PLAIN, pageLink, passwordField, UNCHECKED } from './form.js';
import type { View } from './layout.js';
import { markName, nameOfPerson } from './person.js';
import { listProviderLinks } from './provider-links.js';
import { OTHER_ACCOUNT, otherAccountLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

const endedNotice = ({ query }: Visit) => (query.has('ended') ? ('notice.session_ended' as const) : undefined);

export async function showSignIn(visit: Visit): Promise<View> {
  const isChoosing = visit.accounts.length > 0 && visit.query.get('account') !== OTHER_ACCOUNT && visit.error === null;
  return isChoosing ? showChooser(visit) : showForm(visit);
}

function showChooser(visit: Visit): View {
  const { words, accounts } = visit;
  const list = accounts.map((account) => {
    const address = nameOfPerson(visit, account);
    // The address is for the case that the cookie is lost.
    const id = html`${hidden('session_id', account.session_id)}${hidden('address', account.email ?? account.phone ?? '')}`;
    const choose = attributesOf({ class: 'plain account', 'aria-label': words('chooser.continue_as', { address }) });
    const leave = attributesOf({ class: 'link', 'aria-label': words('chooser.sign_out', { address }) });
    return html`<li>
${form(visit, 'sign-in', html`${id}${button(markName(visit, account), 'choose', choose)}`)}
${form(visit, 'sign-out', html`${id}${button(words('chooser.sign_out_short'), '', leave)}`)}
</li>`;
  });
  const main = html`<h1>${words('chooser.title')}</h1>
<ul class="accounts">${list}</ul>
<p><a class="button plain" href="${otherAccountLink(visit)}">${words('chooser.other')}</a></p>
<p><a href="account">${words('chooser.manage')}</a></p>`;
  return { title: words('chooser.title'), main, notice: endedNotice(visit) };
}

async function showForm(visit: Visit): Promise<View> {
  const { app, words, pages } = visit;
  const { config } = app;
  const passkey = passkeyForm(visit);
  const hasAddress = config.externalEmailEnabled || config.externalPhoneEnabled;
  const toCompany = await companyLink(visit);
  const providers = [...listProviderLinks(visit), ...(toCompany === null ? [] : [toCompany])];
  // Where companies sign in elsewhere, the password follows the address.
  const company = toCompany === null ? undefined : await findCompany(visit);
  const isAddressFirst = toCompany !== null && (company?.isEnforced || !isPasswordAsked(visit));
  const main = html`<h1>${words('sign_in.title')} <small>${words('sign_in.to', { name: pages.name })}</small></h1>
${hasAddress && (isAddressFirst ? firstForm(visit, passkey !== null, company) : addressForm(visit, passkey !== null))}
${passkey}
${hasAddress && providers.length > 0 && html`<p class="or">${words('common.or')}</p>`}
${providers.length > 0 && html`<div class="stack">${providers}</div>`}
${
  hasAddress &&
  !config.disableSignup &&
  html`<p>${words('sign_in.no_account')} <a href="${pageLink(visit, 'sign-up')}">${words('sign_in.sign_up')}</a></p>`
}`;
  const notice = endedNotice(visit);
  return { title: words('sign_in.title'), main, notice, hasCaptcha: config.securityCaptchaEnabled };
}

/** Only the address: it decides what is asked for next. A person who comes back from a company may choose another way. */
function firstForm(visit: Visit, offersPasskey: boolean, company: CompanySignIn | undefined): Markup {
  const fields = html`${addressField(visit, offersPasskey ? 'username webauthn' : 'username')}
${button(visit.words('sign_in.next'), 'next')}`;
  return html`${form(visit, 'sign-in', fields)}${otherWays(visit, company)}`;
}

/** The first form was sent already, or one that follows it. */
const isPasswordAsked = ({ query, form: sent }: Visit): boolean =>
  query.get('step') === 'password' || ['password', 'code'].includes(sent.get('action') ?? '');

function addressForm(visit: Visit, offersPasskey: boolean): Markup {
  const { app, words } = visit;
  const { config } = app;
  const hasCodes = config.externalPhoneEnabled || (config.externalEmailEnabled && config.externalEmailMagicLinkEnabled);
  const forgotten = config.externalEmailEnabled
    ? html`<a href="${pageLink(visit, 'recover')}">${words('sign_in.forgot')}</a>`
    : null;
  return form(
    visit,
    'sign-in',
    html`${addressField(visit, offersPasskey ? 'username webauthn' : 'username')}
${passwordField(words, {
  name: 'password',
  label: words('common.password'),
  autocomplete: 'current-password',
  isWrong: findWrongFields(visit).password,
  isFirst: visit.address !== '',
  link: forgotten,
})}
${captchaBox(visit)}
${button(words('sign_in.submit'), 'password')}
${hasCodes && button(words('sign_in.with_code'), 'code', UNCHECKED)}`,
  );
}

/** Browsers use passkeys only on the origins of the relying party. */
export const mayUsePasskeys = (config: Config): boolean =>
  config.passkeyEnabled && config.webauthnRpOrigins.includes(new URL(config.apiExternalUrl).origin);

/** Hidden until the script finds out that the browser has passkeys. */
function passkeyForm(visit: Visit): Markup | null {
  const { app, words } = visit;
  const { config } = app;
  if (!mayUsePasskeys(config)) return null;
  const { challenge_id, options } = beginSignIn(app, true);
  const attributes = attributesOf({
    hidden: true,
    'data-credential': 'offer',
    'data-options': JSON.stringify(options),
  });
  const content = html`${hidden('challenge_id', challenge_id)}${hidden('credential_json', '')}
${button(words('sign_in.with_passkey'), '', PLAIN)}`;
  return form(visit, 'passkey', content, attributes);
}
