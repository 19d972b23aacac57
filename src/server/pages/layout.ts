/** The frame of every page. */
import { html, type Markup } from '../../html.js';
import type { Config } from '../config/settings.js';
import type { TextKey } from './contract.js';
import { errorText } from './error-texts.js';
import type { Visit } from './visit.js';

/** What a page shows. */
export interface View {
  readonly title: string;
  readonly main: Markup;
  /** Default 200. */
  readonly status?: number;
  /** A text above it, e.g. that something was saved; not beside an error. */
  readonly notice?: TextKey | undefined;
  /** Beside it; such a page is wider than a form. */
  readonly nav?: Markup;
  /** Address that the browser goes on to by itself. */
  readonly onwardTo?: string;
  /** The page shows a captcha. */
  readonly hasCaptcha?: boolean;
}

/** What a page needs that belongs to no flow. */
export type Frame = Pick<Visit, 'app' | 'pages' | 'language' | 'words' | 'up' | 'error'>;

/** Relative, since the server may be reached under a path. */
const asset = ({ up }: Pick<Frame, 'up'>, name: string): string => `${up}assets/${name}`;

const linkTexts: Readonly<Record<string, TextKey>> = {
  privacy: 'common.privacy',
  terms: 'common.terms',
  help: 'common.help',
};

/** @returns the whole document */
export function renderDocument(frame: Frame, view: View): string {
  const { pages, language, words, app } = frame;
  const { title, main, nav, onwardTo } = view;
  const refresh = onwardTo === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${onwardTo}">`;
  const content = html`<main id="main">
${renderMessage(frame, view)}
${main}
</main>`;
  const document = html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${refresh}
<title>${title} – ${pages.name}</title>
<link rel="icon" href="${pages.logo === null ? 'data:,' : asset(frame, pages.logo)}">
<link rel="stylesheet" href="${asset(frame, pages.style)}">
<link rel="stylesheet" href="${asset(frame, pages.brand)}">
${pages.ownStyle !== null && html`<link rel="stylesheet" href="${asset(frame, pages.ownStyle)}">`}
<script src="${asset(frame, pages.script)}" defer></script>
${view.hasCaptcha === true && captchaScript(app.config)}
</head>
<body>
<a class="skip" href="#main">${words('common.skip_to_content')}</a>
<header>${renderLogo(frame)}</header>
${nav === undefined ? content : html`<div class="manage">${nav}${content}</div>`}
${renderLinks(app.config, frame)}
</body>
</html>
`;
  return document.text;
}

function renderLogo(frame: Frame): Markup {
  const { logo, name } = frame.pages;
  return logo === null ? html`<span>${name}</span>` : html`<img src="${asset(frame, logo)}" alt="${name}">`;
}

/** What went wrong, or what was done. Screen readers say it at once. */
function renderMessage({ error, words }: Frame, { notice }: View): Markup | null {
  if (error !== null) {
    return html`<p class="alert error" id="problem" role="alert">${errorText(words, error)}</p>`;
  }
  return notice === undefined ? null : html`<p class="alert" role="status">${words(notice)}</p>`;
}

function renderLinks({ pagesLinks }: Pick<Config, 'pagesLinks'>, { words }: Frame): Markup | null {
  const links = Object.entries(pagesLinks).map(
    ([name, url]) => html`<a href="${url}" rel="noopener">${words(linkTexts[name]!)}</a>`,
  );
  return links.length === 0 ? null : html`<footer>${links}</footer>`;
}

const captchaHosts = {
  hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
  turnstile: 'https://challenges.cloudflare.com',
} as const;
const captchaScripts = {
  hcaptcha: 'https://js.hcaptcha.com/1/api.js',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
} as const;

const captchaScript = ({ securityCaptchaProvider }: Config): Markup =>
  html`<script src="${captchaScripts[securityCaptchaProvider]}" async defer></script>`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types 'none'";

/** The script of a captcha service comes from there and makes markup of text; other pages run nothing foreign. */
function contentPolicy({ securityCaptchaProvider }: Config, hasCaptcha: boolean): string {
  if (!hasCaptcha) return `${POLICY}; ${TRUSTED_TYPES}`;
  const hosts = captchaHosts[securityCaptchaProvider];
  return `${POLICY.replace(/(script|style|connect)-src 'self'/g, `$& ${hosts}`)}; frame-src ${hosts}`;
}

/**
 * Under no-referrer browsers would call the origin of a form null, which the form's check refuses; the last page has none.
 * @param isLast the browser goes on to the application
 */
export const documentHeaders = (
  config: Config,
  hasCaptcha: boolean,
  isLast: boolean,
): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': isLast ? 'no-referrer' : 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': contentPolicy(config, hasCaptcha),
});
