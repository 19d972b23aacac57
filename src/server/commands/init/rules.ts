/** The rules of answers: those of the settings, and what is asked in a form of its own. */
import { domainToASCII } from 'node:url';
import { parseSetting } from '../../config/load.js';
import type { Parsed } from '../../config/parse.js';
import { allSettings, mainNameOf, providerNames } from '../../config/settings.js';
import { isOperatorName } from '../../console/operator-accounts.js';
import { launchers } from './answers.js';

/**
 * @param name main name of a setting
 * @returns a parser that keeps the text where the setting would take it
 */
export function ruleOf(name: string): (text: string) => Parsed<string> {
  const { setting } = allSettings.find((placed) => mainNameOf(placed.setting) === name)!;
  return (text) => {
    if (text === '') return { fault: 'must not be empty' };
    const parsed = parseSetting(setting, text);
    return 'fault' in parsed ? parsed : { value: text };
  };
}

export const parseAny = (text: string): Parsed<string> => ({ value: text });

export const parseFilled = (text: string): Parsed<string> =>
  text === '' ? { fault: 'must not be empty' } : { value: text };

export function parseLauncher(text: string): Parsed<(typeof launchers)[number]> {
  const value = launchers.find((one) => one === text);
  return value === undefined ? { fault: `must be ${launchers.join(' or ')}` } : { value };
}

/** Browsers send people there, so an address of an app alone is not enough to find a domain. */
export function parseSite(text: string): Parsed<string> {
  const parsed = ruleOf('AUTH_SITE_URL')(text);
  if ('fault' in parsed || /^https?:\/\//i.test(text)) return parsed;
  return { fault: 'must begin with https://, as in https://app.example.com; add the addresses of apps later' };
}

/** A host name, which gets a certificate. */
export function parseDomain(text: string): Parsed<string> {
  const name = domainToASCII(text).toLowerCase();
  const isName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(name);
  if (isName || name === 'localhost') return { value: name };
  return { fault: 'must be a host name without https:// and without a path, as in auth.example.com' };
}

/** @returns the usual host of the server beside a site */
export function suggestDomain(siteUrl: string): string {
  const { hostname } = new URL(siteUrl);
  return hostname === 'localhost' ? hostname : `auth.${hostname.replace(/^(?:www|app)\./, '')}`;
}

export interface MailServer {
  readonly host: string;
  readonly port: string;
  readonly user: string;
}

/** `none`, or an address without its password. */
export function parseMailServer(text: string): Parsed<MailServer | null> {
  if (text.toLowerCase() === 'none') return { value: null };
  const fault = 'must be none or smtp://USER@HOST:PORT, as in smtp://mailer@smtp.example.com:587';
  if (!/^smtps?:\/\//i.test(text)) return { fault };
  try {
    const { protocol, hostname, port, username, password } = new URL(text);
    if (password !== '') return { fault: 'must not have the password in it: it is asked for, or AUTH_SMTP_PASS' };
    if (hostname === '') return { fault };
    const usual = protocol === 'smtps:' ? '465' : '587';
    return { value: { host: hostname, port: port || usual, user: decodeURIComponent(username) } };
  } catch {
    return { fault };
  }
}

export interface NamedProvider {
  readonly name: string;
  /** Undefined: it is asked for. */
  readonly clientId: string | undefined;
}

/** `none`, or `google=CLIENT_ID,github`. */
export function parseProviders(text: string): Parsed<NamedProvider[]> {
  if (text.toLowerCase() === 'none') return { value: [] };
  const value: NamedProvider[] = [];
  for (const part of text.split(',')) {
    const [, name = '', clientId] = /^\s*([^=\s]*)\s*(?:=\s*(.*?))?\s*$/.exec(part) ?? [];
    const known = providerNames.find((one) => one === name.toLowerCase().replaceAll('-', '_'));
    if (known === undefined) return { fault: `must be none, or some of ${providerNames.join(', ')}` };
    if (value.some((other) => other.name === known)) return { fault: `must have ${known} once` };
    value.push({ name: known, clientId: clientId || undefined });
  }
  return { value };
}

/** `no`, or the name on the pages. */
export function parsePages(text: string): Parsed<string | null> {
  if (/^(?:no|none)$/i.test(text)) return { value: null };
  if (/^yes$/i.test(text)) return { fault: 'must be the name of your service, or no' };
  return ruleOf('AUTH_PAGES_NAME')(text);
}

/** `none`, or a name that goes into a command. */
export function parseOperator(text: string): Parsed<string | null> {
  if (text.toLowerCase() === 'none') return { value: null };
  if (isOperatorName(text)) return { value: text.trim().toLowerCase() };
  return { fault: 'must be none, or 2 to 64 letters, digits and . _ @ + -, as in ada@example.com' };
}
