/**
 * Decides which redirect targets are allowed (docs/decisions.md, Redirect targets; SEC-33, SEC-34). Compares the parts
 * that a browser would parse, never the raw text: `https://evil.example#.example.com` ends like a host of example.com.
 */
import { isLoopback } from '../outbound/loopback.js';
import { compilePattern, type RedirectPattern } from './patterns.js';
import { parseTarget, type Target } from './target.js';

export { RedirectPatternError } from './patterns.js';

export type RedirectVerdict =
  /** `url`: the candidate with characters outside ASCII percent-encoded, valid in a Location header. */
  | { readonly isAllowed: true; readonly url: string; readonly reason: string }
  | { readonly isAllowed: false; readonly reason: string };

export interface RejectedRedirect {
  readonly candidate: string;
  readonly reason: string;
}

export interface RedirectPolicy {
  /** `reason` completes a sentence that begins with the URL; it has no control characters or line breaks. */
  check(candidate: string): RedirectVerdict;
  /** The first allowed candidate, else SITE_URL; skips absent and empty ones. */
  choose(candidates: readonly (string | null | undefined)[]): {
    readonly url: string;
    readonly rejected: readonly RejectedRedirect[];
  };
  /** Patterns that can never match because they have no scheme. */
  readonly ineffective: readonly string[];
}

/**
 * @param siteUrl an absolute URL; its scheme may be that of a mobile app
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
    if (isOfSite && !isDowngrade(target, site)) {
      return { isAllowed: true, url: target.url, reason: 'is on the host of SITE_URL' };
    }
    const pattern = patterns.find((known) => known.matches(target));
    if (pattern !== undefined) {
      return { isAllowed: true, url: target.url, reason: `matches ${pattern.text} on URI_ALLOW_LIST` };
    }
    return { isAllowed: false, reason: isOfSite ? DOWNGRADE : explainRejection(target, patterns) };
  }

  return {
    check,
    choose(candidates) {
      const rejected: RejectedRedirect[] = [];
      for (const candidate of candidates) {
        if (!candidate) continue;
        const verdict = check(candidate);
        if (verdict.isAllowed) return { url: verdict.url, rejected };
        rejected.push({ candidate, reason: verdict.reason });
      }
      return { url: siteUrl, rejected };
    },
    ineffective: patterns.filter(({ hasScheme }) => !hasScheme).map(({ text }) => text),
  };
}

const DOWNGRADE = 'is on the host of SITE_URL, but http:// would give up the encryption of https://';

/** For http and https any port; for the scheme of an app the same scheme. */
function sharesHost(target: Target, site: URL): boolean {
  if (target.isWeb) return /^https?:$/.test(site.protocol) && target.host === site.hostname;
  return `${target.scheme}:` === site.protocol && target.host !== null && target.host === site.hostname;
}

/** From https to http; harmless on the loopback interface. */
function isDowngrade(target: Target, site: URL): boolean {
  return site.protocol === 'https:' && target.scheme === 'http' && !isLoopback(site.hostname);
}

function explainRejection(target: Target, patterns: readonly RedirectPattern[]): string {
  const list = patterns.length === 0 ? 'URI_ALLOW_LIST is empty' : 'no pattern of URI_ALLOW_LIST matches it';
  if (!target.isWeb) return `has the scheme ${truncate(target.scheme)}:, and ${list}`;
  if (target.hasHiddenSeparators && patterns.length > 0) {
    return 'has an encoded slash, dot or backslash in its path, which no pattern of URI_ALLOW_LIST is compared with';
  }
  return `goes to ${truncate(target.host!)}, which is not the host of SITE_URL, and ${list}`;
}

const truncate = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
