/** Patterns of URI_ALLOW_LIST, split into the same parts as the targets they are compared with. */
import { compileGlob, GlobError, isLiteral, type Matcher } from './glob.js';
import type { Target } from './target.js';

export interface RedirectPattern {
  readonly text: string;
  readonly hasScheme: boolean;
  matches(target: Target): boolean;
}

/** An invalid pattern in the configuration. */
export class RedirectPatternError extends Error {
  readonly pattern: string;
  readonly problem: string;

  constructor(pattern: string, problem: string) {
    super(`The pattern ${JSON.stringify(pattern)} of URI_ALLOW_LIST ${problem}`);
    this.pattern = pattern;
    this.problem = problem;
    this.name = 'RedirectPatternError';
  }
}

/**
 * Compiles one pattern: a glob for each of scheme, host, port, and path with query. A fragment is cut off.
 * - Schemes other than http and https must be literal; the rest after the colon is then one glob.
 * - Without a port only the default port of the scheme matches. IP addresses must be literal.
 * - `**` directly after a host without a path permits any port and path of that host; it never extends the host. `**`
 *   alone permits any http or https URL.
 * @throws RedirectPatternError
 */
export function compilePattern(text: string): RedirectPattern {
  try {
    if (!/^[\x21-\x7e]+$/.test(text)) {
      throw new GlobError(
        'holds white space or a character outside ASCII; write it as the browser does (%C3%BC, xn--)',
      );
    }
    const pattern = text.replace(/#.*$/, '');
    const [, scheme, rest] = /^([^:/]+):(.*)$/.exec(pattern === '**' ? '*://**' : pattern) ?? [];
    if (scheme === undefined || rest === undefined) {
      compileGlob(pattern);
      return { text, hasScheme: false, matches: () => false };
    }
    const matchesScheme = compileGlob(scheme.toLowerCase());
    const isWeb = matchesScheme('http') || matchesScheme('https');
    const matches = isWeb ? compileWebPattern(matchesScheme, rest) : compileAppPattern(scheme, rest);
    return { text, hasScheme: isWeb || isLiteral(scheme), matches };
  } catch (error) {
    if (error instanceof GlobError) throw new RedirectPatternError(text, error.message);
    throw error;
  }
}

function compileAppPattern(scheme: string, rest: string): RedirectPattern['matches'] {
  const matchesRest = compileGlob(rest);
  const wanted = scheme.toLowerCase();
  return (target) => !target.isWeb && target.scheme === wanted && matchesRest(target.rest);
}

function compileWebPattern(matchesScheme: Matcher, rest: string): RedirectPattern['matches'] {
  const { host, port, path } = splitWebPattern(rest);
  const matchesHost = compileHost(host);
  const matchesPort = compileGlob(port);
  // An origin, with or without its slash.
  const matchesPath = path === '' || path === '/' ? isRoot : compileGlob(path);
  const coversAllPaths = path === '/**' || path === '**';
  return (target) =>
    target.isWeb &&
    matchesScheme(target.scheme) &&
    (port === '' ? !target.hasOwnPort : matchesPort(target.port)) &&
    matchesHost(target) &&
    (coversAllPaths || !target.hasHiddenSeparators) &&
    matchesPath(target.pathAndQuery);
}

const isRoot: Matcher = (path) => path === '' || path === '/';

/** @param rest text after the scheme and its colon */
function splitWebPattern(rest: string): { host: string; port: string; path: string } {
  const [, authority = '', path = ''] = /^\/\/((?:\[[^\]]*\]|[^/[])+)(.*)$/s.exec(rest) ?? [];
  if (authority === '') throw new GlobError('has no host');
  if (authority.includes('@')) throw new GlobError('holds an @ before its host');
  if (path !== '' || !authority.endsWith('**')) return { ...splitAuthority(authority), path };
  // `https://app.example.com**`: any path, and any port unless the pattern has one.
  const { host, port } = splitAuthority(authority.slice(0, -2).replace(/:$/, ''));
  if (/[.-]$/.test(host)) throw new GlobError(OPEN_HOST);
  return { host: host || '**', port: port || '*', path: '**' };
}

const OPEN_HOST = 'ends its host in **, which would permit every host that begins so; write out the end of the host';

function splitAuthority(authority: string): { host: string; port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*:[^\]]*\]|.*?)(?::([^:]*))?$/s.exec(authority) ?? [];
  if (host !== '**' && host.endsWith('**')) throw new GlobError(OPEN_HOST);
  return { host: host.toLowerCase(), port };
}

function compileHost(host: string): (target: Target) => boolean {
  if (/^\[.*:.*\]$/.test(host)) return (target) => target.host === host;
  const matches = compileGlob(host);
  return (target) => (isLiteral(host) || !target.isIpAddress) && matches(target.host!);
}
