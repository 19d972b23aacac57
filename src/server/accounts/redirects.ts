/**
 * Where users may be sent back to (service.md, SITE_URL and URI_ALLOW_LIST; decisions.md 13; SEC-33, SEC-34).
 * Decided on the parts a browser would see, never on the raw text: `https://evil.example#.example.com` looks like a
 * host of example.com to whoever compares text.
 */
import { compilePattern, type RedirectPattern } from './redirect-patterns.js';
import { parseTarget, type Target } from './redirect-target.js';

export { RedirectPatternError } from './redirect-patterns.js';

export type RedirectVerdict =
  /** `url`: as it came, with characters outside ASCII percent-encoded, so that it can stand in a Location header. */
  | { readonly isAllowed: true; readonly url: string; readonly reason: string }
  | { readonly isAllowed: false; readonly reason: string };

export interface RefusedRedirect {
  readonly candidate: string;
  readonly reason: string;
}

export interface RedirectPolicy {
  /** `reason` completes a sentence that begins with the address; one line, no control characters. */
  check(candidate: string): RedirectVerdict;
  /** The first permitted candidate, else SITE_URL; absent and empty ones are passed over. */
  choose(candidates: readonly (string | null | undefined)[]): {
    readonly url: string;
    readonly refused: readonly RefusedRedirect[];
  };
  /** Patterns of the list that can never match, for they name no scheme. */
  readonly ineffective: readonly string[];
}

/**
 * @param siteUrl an absolute URL, also of a mobile app's scheme
 * @param uriAllowList globs; see compilePattern
 * @throws RedirectPatternError
 */
export function compileRedirects(options: {
  readonly siteUrl: string;
  readonly uriAllowList: readonly string[];
}): RedirectPolicy {
  const patterns = options.uriAllowList.map(compilePattern);
  const site = new URL(options.siteUrl);
  const siteUrl = /^[\x21-\x7e]+$/.test(options.siteUrl) ? options.siteUrl : site.href;

  function check(candidate: string): RedirectVerdict {
    const parsed = parseTarget(candidate);
    if ('fault' in parsed) return { isAllowed: false, reason: parsed.fault };
    const { target } = parsed;
    const isOfSite = sharesHost(target, site);
    if (isOfSite && !stepsDown(target, site)) {
      return { isAllowed: true, url: target.url, reason: 'is on the host of SITE_URL' };
    }
    const pattern = patterns.find((known) => known.matches(target));
    if (pattern !== undefined) {
      return { isAllowed: true, url: target.url, reason: `matches ${pattern.text} on URI_ALLOW_LIST` };
    }
    return { isAllowed: false, reason: isOfSite ? STEP_DOWN : explain(target, patterns) };
  }

  return {
    check,
    choose(candidates) {
      const refused: RefusedRedirect[] = [];
      for (const candidate of candidates) {
        if (!candidate) continue;
        const verdict = check(candidate);
        if (verdict.isAllowed) return { url: verdict.url, refused };
        refused.push({ candidate, reason: verdict.reason });
      }
      return { url: siteUrl, refused };
    },
    ineffective: patterns.filter(({ hasScheme }) => !hasScheme).map(({ text }) => text),
  };
}

const STEP_DOWN = 'is on the host of SITE_URL, but http:// would give up the encryption of https://';

/** Any port; of an app's own scheme, the same scheme. */
function sharesHost(target: Target, site: URL): boolean {
  if (target.isWeb) return /^https?:$/.test(site.protocol) && target.host === site.hostname;
  return `${target.scheme}:` === site.protocol && target.host !== null && target.host === site.hostname;
}

/** On the loopback nobody listens in between. */
function stepsDown(target: Target, site: URL): boolean {
  return site.protocol === 'https:' && target.scheme === 'http' && !isLoopback(site.hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function explain(target: Target, patterns: readonly RedirectPattern[]): string {
  const list = patterns.length === 0 ? 'URI_ALLOW_LIST is empty' : 'no pattern of URI_ALLOW_LIST matches it';
  if (!target.isWeb) return `has the scheme ${cut(target.scheme)}:, and ${list}`;
  if (target.hasHiddenSeparators && patterns.length > 0) {
    return 'has an encoded slash, dot or backslash in its path, which no pattern of URI_ALLOW_LIST is compared with';
  }
  return `goes to ${cut(target.host!)}, which is not the host of SITE_URL, and ${list}`;
}

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
