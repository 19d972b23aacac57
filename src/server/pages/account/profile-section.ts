/** /ui/account/profile: the name, the address and the number. */
import { html, type Markup } from '../../../html.js';
import { readLiveCodes } from '../../codes/live-codes.js';
import type { CodeKind } from '../../message-kinds.js';
import { button, field, form, hidden, PLAIN } from '../form.js';
import { sectionPage } from './account-frame.js';
import type { AccountVisit } from './account-visit.js';

export const profilePage = sectionPage('profile', showProfile);

export const PROFILE_PATH = 'account/profile';
const MAX_NAME_CHARACTERS = '200';

/** Which of the forms was refused: only its field is wrong. */
const isWrong = ({ error, form: sent }: AccountVisit, action: string): boolean =>
  error !== null && sent.get('action') === action;

async function showProfile(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const { user } = caller;
  const name = html`${field(
    'name',
    words('profile.name'),
    {
      autocomplete: 'name',
      maxlength: MAX_NAME_CHARACTERS,
      value: visit.form.get('name') ?? nameIn(user.user_metadata),
    },
    isWrong(visit, 'name'),
  )}${button(words('profile.save'), 'name')}`;
  if (user.is_sso_user) {
    return html`${form(visit, PROFILE_PATH, name)}<p class="muted">${words('profile.sso')}</p>`;
  }
  return html`${form(visit, PROFILE_PATH, name)}
${app.config.externalEmailEnabled && (await showEmail(visit))}
${app.config.externalPhoneEnabled && showPhone(visit)}`;
}

/** As the scope profile tells it to applications. */
function nameIn(metadata: Readonly<Record<string, unknown>>): string {
  const { name, full_name: fullName } = metadata;
  return [name, fullName].find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}

async function showEmail(visit: AccountVisit): Promise<Markup> {
  const { words, caller } = visit;
  const { email, new_email: next } = caller.user;
  const change = html`${field(
    'email',
    words('profile.new_email'),
    {
      type: 'email',
      autocomplete: 'email',
      required: true,
      maxlength: '320',
      value: visit.form.get('email') ?? '',
    },
    isWrong(visit, 'email'),
  )}${button(words('profile.change'), 'email', PLAIN)}`;
  return html`<h2 class="part">${words('common.address')}</h2>
<p><bdi>${email ?? words('profile.nothing')}</bdi></p>
${
  next &&
  html`<p>${words('profile.pending', { address: next })}</p>
${await codeForms(visit, [
  ['confirm_current', email, 'email_change_current'],
  ['confirm_new', next, 'email_change_new'],
])}
${form(visit, PROFILE_PATH, html`${hidden('email', next)}${button(words('code.resend'), 'email', PLAIN)}`)}`
}
${form(visit, PROFILE_PATH, change)}`;
}

function showPhone(visit: AccountVisit): Markup {
  const { words, caller } = visit;
  const { phone, new_phone: next } = caller.user;
  const change = html`${field(
    'phone',
    words('profile.new_phone'),
    {
      type: 'tel',
      autocomplete: 'tel',
      required: true,
      maxlength: '40',
      dir: 'ltr',
      value: visit.form.get('phone') ?? '',
    },
    isWrong(visit, 'phone'),
  )}${button(words('profile.change'), 'phone', PLAIN)}`;
  return html`<h2 class="part">${words('profile.phone')}</h2>
<p><bdi>${phone ? `+${phone}` : words('profile.nothing')}</bdi></p>
${
  next &&
  html`<p>${words('profile.pending', { address: `+${next}` })}</p>
${codeForm(visit, 'confirm_phone', `+${next}`)}
${form(visit, PROFILE_PATH, html`${hidden('phone', next)}${button(words('code.resend'), 'phone', PLAIN)}`)}`
}
${form(visit, PROFILE_PATH, change)}`;
}

/** Those of the codes that are still to be entered. */
async function codeForms(
  visit: AccountVisit,
  forms: readonly (readonly [action: string, address: string | null, kind: CodeKind])[],
): Promise<Markup[]> {
  const live = (await readLiveCodes(visit.app, visit.caller.user.id)).map(({ kind }) => kind);
  const isWanted = (action: string, kind: CodeKind) => live.includes(kind) || isWrong(visit, action);
  return forms
    .filter(([action, , kind]) => isWanted(action, kind))
    .map(([action, address]) => codeForm(visit, action, address ?? ''));
}

/** For a code that was sent to an address. */
function codeForm(visit: AccountVisit, action: string, address: string): Markup {
  const code = field(
    'code',
    visit.words('profile.code', { address }),
    {
      id: action,
      class: 'code',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      pattern: '[0-9 -]{4,14}',
      maxlength: '40',
      required: true,
      dir: 'ltr',
    },
    isWrong(visit, action),
  );
  return form(visit, PROFILE_PATH, html`${code}${button(visit.words('profile.confirm'), action)}`);
}
