/** Checks of the settings of the hosted pages. They count only while the pages are on. */
import type { Fault } from './faults.js';
import { findUnknownText, PAGE_TEXTS_DIRECTORY, type PageTexts, readPageTexts } from './page-texts.js';
import { findColorFault } from './palette.js';
import type { Config } from './settings.js';

/** The links that pages have a text for. */
const LINKS = ['privacy', 'terms', 'help'];

/** @param nameOf the environment name of a key */
export function findPageFaults(
  config: Config,
  nameOf: (key: string) => string,
): { readonly keys: string[]; readonly fault: Fault }[] {
  if (!config.pagesEnabled) return [];
  const found: { keys: string[]; fault: Fault }[] = [];
  const add = (key: keyof Config, problem: string | null, example: string) => {
    if (problem !== null) {
      found.push({ keys: ['pagesEnabled', key], fault: { variable: nameOf(key), problem, example } });
    }
  };
  add('pagesColors', findColorFault(config.pagesColors, 'light'), 'accent:#0b6b3a');
  add('pagesColorsDark', findColorFault(config.pagesColorsDark, 'dark'), 'accent:#5fd39a');
  add('pagesLinks', findLinkFault(config.pagesLinks), 'privacy:https://example.com/privacy');
  add('pagesTexts', findTextFault(config.pagesTexts), '{"en":{"sign_in.title":"Welcome back"}}');
  if (config.pagesLogoFile !== '' && !/\.(svg|png|jpe?g|webp)$/.test(config.pagesLogoFile)) {
    add('pagesLogoFile', 'must end with .svg, .png, .jpg or .webp', '/etc/latchkey/logo.svg');
  }
  if (config.oauthServerPageCss !== '' && !config.oauthServerPageCss.endsWith('.css')) {
    add('oauthServerPageCss', 'must end with .css', '/etc/latchkey/pages.css');
  }
  if (config.securityCaptchaEnabled && config.pagesCaptchaSiteKey === '') {
    const problem = `is missing, and ${nameOf('securityCaptchaEnabled')} and ${nameOf('pagesEnabled')} are on`;
    add('pagesCaptchaSiteKey', problem, '0x4AAAAAAADnPIDROrmt1Wwj');
  }
  return found;
}

function findLinkFault(links: Readonly<Record<string, string>>): string | null {
  if (!Object.keys(links).every((name) => LINKS.includes(name))) return `may name only ${LINKS.join(', ')}`;
  const areValid = Object.values(links).every((url) => URL.canParse(url) && /^(https?|mailto):/.test(url));
  return areValid ? null : 'must have links that begin with https://, http:// or mailto:';
}

function findTextFault(text: string): string | null {
  if (text === '') return null;
  const shape = 'must be a JSON object: language → key → text';
  let own: unknown;
  try {
    own = JSON.parse(text);
  } catch {
    return shape;
  }
  return isPageTexts(own) ? findUnknownText(own, readPageTexts(PAGE_TEXTS_DIRECTORY)) : shape;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPageTexts = (own: unknown): own is PageTexts =>
  isObject(own) &&
  Object.values(own).every((keys) => isObject(keys) && Object.values(keys).every((one) => typeof one === 'string'));
