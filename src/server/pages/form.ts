/** Parts of forms. All work without scripts. */
import { html, Markup } from '../../html.js';
import type { Words } from './contract.js';
import type { Visit } from './visit.js';

type FormVisit = Pick<Visit, 'up' | 'flow' | 'formToken'>;

/**
 * A form that is sent to a page.
 * @param page such as sign-in; relative, since the server may be reached under a path
 */
export const form = (
  { up, flow, formToken }: FormVisit,
  page: string,
  content: Markup,
  attributes: Markup | null = null,
): Markup =>
  html`<form method="post" action="${up}${page}?flow=${flow.id}"${attributes}>
<input type="hidden" name="form_token" value="${formToken}">
${content}
</form>`;

/** Address of a page of the same flow. */
export const pageLink = ({ up, flow }: Pick<Visit, 'up' | 'flow'>, page: string): string =>
  `${up}${page}?flow=${flow.id}`;

export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;

const FIELD_STATUSES: readonly number[] = [400, 403, 422];

/** Whether a code was wrong; an outdated form and a limit do not mark its field. */
export const isCodeWrong = ({ error }: Pick<Visit, 'error'>): boolean =>
  error !== null && FIELD_STATUSES.includes(error.status) && error.entry !== 'formFromElsewhere';

/** @param attributes of the input, e.g. autocomplete; values are escaped. @param below the input */
export function field(
  name: string,
  label: string,
  attributes: Readonly<Record<string, string | true>>,
  isWrong = false,
  below: Markup | null = null,
): Markup {
  const id = typeof attributes['id'] === 'string' ? attributes['id'] : name;
  const described = [
    ...(isWrong ? ['problem'] : []),
    ...(attributes['aria-describedby'] ? [attributes['aria-describedby']] : []),
  ];
  const all = {
    id,
    name,
    ...attributes,
    ...(isWrong && { 'aria-invalid': 'true' }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  };
  return html`<div class="field">
<label for="${id}">${label}</label>
<input${attributesOf(all)}>
${below}
</div>`;
}

/** The same of several lines. */
export function textArea(
  name: string,
  label: string,
  attributes: Readonly<Record<string, string | true>>,
  value: string,
  isWrong = false,
  below: Markup | null = null,
): Markup {
  const id = typeof attributes['id'] === 'string' ? attributes['id'] : name;
  const described = [...(isWrong ? ['problem'] : []), ...(below === null ? [] : [`${id}-hint`])];
  const all = {
    id,
    name,
    ...attributes,
    ...(isWrong && { 'aria-invalid': 'true' }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  };
  // The line break after the tag is no part of the value.
  return html`<div class="field">
<label for="${id}">${label}</label>
<textarea${attributesOf(all)}>
${value}</textarea>
${below !== null && html`<span class="muted" id="${id}-hint">${below}</span>`}
</div>`;
}

export interface Box {
  readonly name: string;
  readonly label: string;
  readonly isChecked: boolean;
  /** Below the label. */
  readonly hint?: string;
}

export const checkbox = ({ name, label, isChecked, hint }: Box): Markup =>
  html`<div class="field">
<label><input${attributesOf({
    type: 'checkbox',
    name,
    value: 'on',
    ...(isChecked && { checked: true as const }),
    ...(hint !== undefined && { 'aria-describedby': `${name}-hint` }),
  })}> ${label}</label>
${hint !== undefined && html`<span class="muted" id="${name}-hint">${hint}</span>`}
</div>`;

export const attributesOf = (attributes: Readonly<Record<string, string | true>>): Markup =>
  new Markup(
    Object.entries(attributes)
      .map(([name, value]) => (value === true ? ` ${name}` : html` ${new Markup(name)}="${value}"`.text))
      .join(''),
  );

export interface PasswordField {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: 'current-password' | 'new-password';
  readonly isWrong?: boolean;
  /** The person begins here. */
  readonly isFirst?: boolean;
  /** Below the field. */
  readonly link?: Markup | null;
  /** Of a new password, which is said below the field. */
  readonly minLength?: number;
}

/** A password with a box that shows it, which needs the script: the row has its place before the script has run. */
export function passwordField(words: Words, given: PasswordField): Markup {
  const { name, label, autocomplete, isWrong = false, isFirst = false, link = null, minLength } = given;
  const hintId = `${name}-length`;
  const hint =
    minLength !== undefined &&
    html`<span class="muted" id="${hintId}">${words('common.password_length', { count: minLength })}</span>`;
  const box = html`<label hidden><input type="checkbox" data-shows="${name}"> ${words('common.show_password')}</label>`;
  const attributes = {
    type: 'password',
    autocomplete,
    required: true,
    maxlength: '1024',
    ...(isFirst && { autofocus: true as const }),
    ...(minLength !== undefined && { 'aria-describedby': hintId }),
  } as const;
  return field(name, label, attributes, isWrong, html`<div class="row below">${hint}${box}${link}</div>`);
}

/** Browsers read it with the flag v, under which a dash has to be escaped. */
const CODE_PATTERN = '[0-9 \\-]{4,14}';

/** One field for the whole code, which phones and password managers fill in. */
export const codeField = (label: string, isWrong = false, pattern = CODE_PATTERN, id = 'code'): Markup =>
  field(
    'code',
    label,
    {
      id,
      type: 'text',
      class: 'code',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      pattern,
      maxlength: '40',
      required: true,
      autofocus: true,
      dir: 'ltr',
    },
    isWrong,
  );

/** @param action value of the field `action`; several buttons of a form differ by it */
export const button = (label: string | Markup, action = '', attributes: Markup | null = null): Markup =>
  action === ''
    ? html`<button type="submit"${attributes}>${label}</button>`
    : html`<button type="submit" name="action" value="${action}"${attributes}>${label}</button>`;

export const PLAIN = new Markup(' class="plain"');
/** The fields of the form need not be valid. */
export const UNCHECKED = new Markup(' class="plain" formnovalidate');

/** Where the captcha service puts its box; empty without captcha. */
export function captchaBox({ app, words }: Pick<Visit, 'app' | 'words'>): Markup | null {
  const { securityCaptchaEnabled, securityCaptchaProvider, pagesCaptchaSiteKey } = app.config;
  if (!securityCaptchaEnabled) return null;
  const name = securityCaptchaProvider === 'hcaptcha' ? 'h-captcha' : 'cf-turnstile';
  return html`<div class="${name}" data-sitekey="${pagesCaptchaSiteKey}"></div>
<noscript><p class="alert" role="note">${words('common.captcha_needs_script')}</p></noscript>`;
}
