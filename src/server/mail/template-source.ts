import { compileTemplate, type Template } from '../../go-template/index.js';
import type { Config } from '../config/settings.js';
import { type MailKind, mailKinds } from '../message-kinds.js';
import { callOut } from '../outbound/outbound.js';
import type { Log } from '../telemetry/log.js';
import { builtInBodies } from './bodies.js';

export type TemplateSettings = Pick<
  Config,
  | 'siteUrl'
  | 'mails'
  | 'mailerTemplateMaxSize'
  | 'mailerTemplateMaxAgeSeconds'
  | 'mailerTemplateRetryIntervalSeconds'
  | 'mailerTemplateReloadingEnabled'
  | 'mailerTemplateReloadingMaxIdleSeconds'
>;

/** The bodies of mails. */
export interface TemplateSource {
  /** The operator's template, fetched or cached; null: use the built-in one. Never throws. */
  find(kind: MailKind): Promise<Template | null>;
  /** Why the last fetch of the operator's template gave none that works; null: it did, or there is none. */
  problemOf(kind: MailKind): string | null;
  /** Fetches all templates of the configuration in the background, as far as there is no fresh copy. */
  load(): void;
  /** The same for copies that a mail has used of late (AUTH_MAILER_TEMPLATE_RELOADING_MAX_IDLE). */
  reload(): void;
  builtIn(kind: MailKind): Template;
  /** A body of the settings. @throws TemplateError */
  compile(body: string): Template;
}

/** Fetched templates by kind of mail and URL. */
export type TemplateCache = Map<string, CachedTemplate>;

interface CachedTemplate {
  /** The last one that compiled. */
  template: Template | null;
  problem: string | null;
  goodAt: number;
  triedAt: number;
  /** By a mail, or loaded at the start. */
  usedAt: number;
  /** The fetch that all callers wait for. */
  attempt: Promise<void> | null;
}

export interface TemplateSourceOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Templates that an earlier source has fetched. */
  readonly kept?: TemplateCache;
}

export function createTemplateSource(
  settings: TemplateSettings,
  log: Log,
  { now = () => performance.now(), kept = new Map() }: TemplateSourceOptions = {},
): TemplateSource {
  const builtIns = new Map<MailKind, Template>();
  /** Bodies of the settings, as many as there are in them. */
  const compiled = new Map<string, Template>();

  const urlOf = (kind: MailKind): string => resolveTemplateUrl(settings.mails[kind].template, settings.siteUrl);
  const isIdle = ({ usedAt }: CachedTemplate): boolean =>
    now() - usedAt >= settings.mailerTemplateReloadingMaxIdleSeconds * 1000;

  const isSent = (kind: MailKind): boolean => {
    const mail = settings.mails[kind];
    return !('enabled' in mail) || mail.enabled;
  };

  /** @returns null without a template of the operator's */
  function copyOf(kind: MailKind): CachedTemplate | null {
    if (settings.mails[kind].template === '') return null;
    const key = `${kind} ${urlOf(kind)}`;
    const unread = { goodAt: -Infinity, triedAt: -Infinity, usedAt: -Infinity };
    const copy = kept.get(key) ?? { template: null, problem: null, attempt: null, ...unread };
    kept.set(key, copy);
    return copy;
  }

  function renew(kind: MailKind, copy: CachedTemplate): void {
    const isFresh = copy.template !== null && now() - copy.goodAt < settings.mailerTemplateMaxAgeSeconds * 1000;
    const mayTry = now() - copy.triedAt >= settings.mailerTemplateRetryIntervalSeconds * 1000;
    if (!isFresh && mayTry) copy.attempt ??= refresh(kind, urlOf(kind), copy);
  }

  async function refresh(kind: MailKind, url: string, copy: CachedTemplate): Promise<void> {
    copy.triedAt = now();
    try {
      const text = await fetchTemplate(url, settings.mailerTemplateMaxSize);
      copy.template = compileTemplate(text, 'html');
      copy.goodAt = now();
      copy.problem = null;
    } catch (error) {
      copy.problem = (error as Error).message;
      const instead = copy.template === null ? 'the built-in body is used' : 'the copy fetched before stays in use';
      log.warn(
        { component: 'mail', mail_type: kind, url: withoutQuery(url), error: copy.problem },
        `A mail template cannot be used: ${instead}`,
      );
    } finally {
      copy.attempt = null;
    }
  }

  return {
    async find(kind) {
      const copy = copyOf(kind);
      if (copy === null) return null;
      const isKept = settings.mailerTemplateReloadingEnabled && copy.template !== null && !isIdle(copy);
      copy.usedAt = now();
      renew(kind, copy);
      // A template that is reloaded in the background makes no mail wait.
      if (copy.attempt !== null && !isKept) await copy.attempt;
      return copy.template;
    },
    problemOf: (kind) => copyOf(kind)?.problem ?? null,
    load() {
      for (const kind of mailKinds.filter(isSent)) {
        const copy = copyOf(kind);
        if (copy === null) continue;
        copy.usedAt = now();
        renew(kind, copy);
      }
    },
    reload() {
      for (const kind of mailKinds) {
        const copy = copyOf(kind);
        if (copy !== null && !isIdle(copy)) renew(kind, copy);
      }
    },
    builtIn(kind) {
      const template = builtIns.get(kind) ?? compileTemplate(builtInBodies[kind], 'html');
      builtIns.set(kind, template);
      return template;
    },
    compile(body) {
      const template = compiled.get(body) ?? compileTemplate(body, 'html');
      compiled.set(body, template);
      return template;
    },
  };
}

/**
 * What a preview is composed of. A draft leaves nothing behind: its bodies are compiled anew, and fetched templates are those in
 * use unless it changes their address.
 */
export function previewPartsOf(
  used: { readonly config: Config; readonly templates: TemplateSource; readonly log: Log },
  kind: MailKind,
  draft: Config = used.config,
): { readonly config: Config; readonly templates: TemplateSource } {
  if (draft === used.config) return used;
  const urlIn = ({ mails, siteUrl }: Config): string =>
    mails[kind].template && resolveTemplateUrl(mails[kind].template, siteUrl);
  const isSame = urlIn(draft) === urlIn(used.config);
  const templates = isSame ? used.templates : createTemplateSource(draft, used.log);
  return { config: draft, templates: { ...templates, compile: (body) => compileTemplate(body, 'html') } };
}

async function fetchTemplate(url: string, maxBytes: number): Promise<string> {
  const { status, text } = await callOut({ url, headers: { Accept: 'text/html, */*;q=0.1' } });
  if (status !== 200) throw new Error(`The remote server answered with status ${status}`);
  if (Buffer.byteLength(text) > maxBytes) throw new Error(`The template is larger than ${maxBytes} bytes`);
  return text.replace(/^\ufeff/, '');
}

/** A value that does not start with http is appended to SITE_URL unchanged. */
export function resolveTemplateUrl(setting: string, siteUrl: string): string {
  return setting.startsWith('http') ? setting : siteUrl + setting;
}

/** A query may contain the key of a storage service. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
