import type { Config } from '../config/settings.js';
import { callOut } from '../outbound.js';
import type { Log } from '../telemetry/log.js';
import { builtInBodies } from './bodies.js';
import type { MailKind } from './contract.js';
import { compileTemplate, type Template } from './template.js';

export type TemplateSettings = Pick<
  Config,
  | 'siteUrl'
  | 'mailerTemplatesInvite'
  | 'mailerTemplatesConfirmation'
  | 'mailerTemplatesRecovery'
  | 'mailerTemplatesMagicLink'
  | 'mailerTemplatesEmailChange'
  | 'mailerTemplatesReauthentication'
  | 'mailerTemplateMaxSize'
  | 'mailerTemplateMaxAgeSeconds'
  | 'mailerTemplateRetryIntervalSeconds'
>;

/** Where the bodies of mails come from. */
export interface TemplateSource {
  /** The operator's template, fetched or remembered; null: use the built-in one. Never throws. */
  find(kind: MailKind): Promise<Template | null>;
  /** Always there. */
  builtIn(kind: MailKind): Template;
}

export const templateSettingOf = {
  invite: 'mailerTemplatesInvite',
  confirmation: 'mailerTemplatesConfirmation',
  recovery: 'mailerTemplatesRecovery',
  magic_link: 'mailerTemplatesMagicLink',
  email_change: 'mailerTemplatesEmailChange',
  reauthentication: 'mailerTemplatesReauthentication',
} as const satisfies Record<MailKind, keyof TemplateSettings>;

interface Kept {
  /** The last good copy. */
  template: Template | null;
  goodAt: number;
  triedAt: number;
  /** The one attempt everybody waits for. */
  attempt: Promise<void> | null;
}

/** @param now milliseconds, from any beginning */
export function createTemplateSource(
  settings: TemplateSettings,
  log: Log,
  now: () => number = () => performance.now(),
): TemplateSource {
  const kept = new Map<MailKind, Kept>();
  const builtIns = new Map<MailKind, Template>();

  async function refresh(kind: MailKind, url: string, copy: Kept): Promise<void> {
    copy.triedAt = now();
    try {
      const text = await fetchTemplate(url, settings.mailerTemplateMaxSize);
      copy.template = compileTemplate(text, 'html');
      copy.goodAt = now();
    } catch (error) {
      const instead = copy.template === null ? 'the built-in body is used' : 'the copy fetched before stays in use';
      log.warn(
        { component: 'mail', mail_type: kind, url: withoutQuery(url), error: (error as Error).message },
        `A mail template cannot be used: ${instead}`,
      );
    } finally {
      copy.attempt = null;
    }
  }

  return {
    async find(kind) {
      const setting = settings[templateSettingOf[kind]];
      if (setting === '') return null;
      const copy = kept.get(kind) ?? { template: null, goodAt: -Infinity, triedAt: -Infinity, attempt: null };
      kept.set(kind, copy);
      const isFresh = copy.template !== null && now() - copy.goodAt < settings.mailerTemplateMaxAgeSeconds * 1000;
      const mayTry = now() - copy.triedAt >= settings.mailerTemplateRetryIntervalSeconds * 1000;
      if (!isFresh && mayTry) copy.attempt ??= refresh(kind, resolveTemplateUrl(setting, settings.siteUrl), copy);
      if (copy.attempt !== null) await copy.attempt;
      return copy.template;
    },
    builtIn(kind) {
      const template = builtIns.get(kind) ?? compileTemplate(builtInBodies[kind], 'html');
      builtIns.set(kind, template);
      return template;
    },
  };
}

async function fetchTemplate(url: string, maxBytes: number): Promise<string> {
  const { status, text } = await callOut({ url, headers: { Accept: 'text/html, */*;q=0.1' } });
  if (status !== 200) throw new Error(`The remote server answered with status ${status}`);
  if (Buffer.byteLength(text) > maxBytes) throw new Error(`The template is larger than ${maxBytes} bytes`);
  return text.replace(/^\ufeff/, '');
}

/** A value that does not begin with http is appended to SITE_URL as it is (delivery.md 5.4). */
export function resolveTemplateUrl(setting: string, siteUrl: string): string {
  return setting.startsWith('http') ? setting : siteUrl + setting;
}

/** A query may hold a key of a storage service. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
