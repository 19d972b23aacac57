/** What a redirect target is made of, or why it is none. */

export interface Target {
  /** Fit for a Location header. */
  readonly url: string;
  /** Lower case, no colon. */
  readonly scheme: string;
  /** http or https. */
  readonly isWeb: boolean;
  /** Lower case, as URL.hostname has it; null where an app's scheme is followed by no `//`. */
  readonly host: string | null;
  readonly isAddress: boolean;
  /** The one in force, written or not; '' for other schemes than http and https. */
  readonly port: string;
  readonly hasOwnPort: boolean;
  /** Path and query; the path with its dot segments resolved, '' where none is written. No fragment. */
  readonly pathAndQuery: string;
  /** For other schemes: what follows the colon, without the fragment. */
  readonly rest: string;
  /** A path that may become another one in a server that decodes it once more than others do. */
  readonly hasHiddenSeparators: boolean;
}

/** As it is stored with a sign-in that anybody may begin (SEC-88); longer addresses break in mails and proxies, too. */
const MAX_LENGTH = 2048;
/** Schemes a browser would run or read from this machine. */
const UNSAFE_SCHEMES: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'file', 'blob', 'about']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * Takes a candidate apart. Everything that two parsers could read in two ways is refused before it is parsed.
 * @returns the target, or the fault in words that follow the address
 */
export function parseTarget(candidate: string): { readonly target: Target } | { readonly fault: string } {
  if (candidate.length > MAX_LENGTH) return { fault: `is longer than ${MAX_LENGTH} characters` };
  if (candidate.includes('\\')) return { fault: 'holds a backslash, which browsers read as a slash' };
  if (/[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}]/u.test(candidate)) {
    return { fault: 'holds white space, or a character that cannot be seen' };
  }
  const url = candidate.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  if (url.length > MAX_LENGTH) return { fault: `is longer than ${MAX_LENGTH} characters when it is percent-encoded` };
  const [, writtenScheme, rest] = /^([a-z][a-z0-9+.-]*):([^#]*)/i.exec(url) ?? [];
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (writtenScheme === undefined || rest === undefined || parsed === null) {
    return { fault: 'is no absolute URL: it must begin with a scheme and a host, such as https://app.example.com' };
  }
  const scheme = writtenScheme.toLowerCase();
  if (UNSAFE_SCHEMES.has(scheme)) return { fault: `has the scheme ${scheme}:, which is never permitted` };
  const authority = /^\/\/([^/?]*)/.exec(rest)?.[1];
  if (authority?.includes('@')) return { fault: 'holds a user name or an @ before the host' };
  if (!(scheme in DEFAULT_PORTS)) {
    if (/^\d+$/.test(parsed.hostname)) return { fault: 'has a host of digits alone' };
    const host = authority === undefined ? null : parsed.hostname;
    const none = { isAddress: false, port: '', hasOwnPort: false, pathAndQuery: '', hasHiddenSeparators: false };
    return { target: { url, scheme, isWeb: false, host, rest, ...none } };
  }
  if (!authority) return { fault: `must begin with ${scheme}:// and a host` };
  const port = parsed.port || DEFAULT_PORTS[scheme]!;
  // As it was written and as it is read must be one: this ends 0x7f.1, 2130706433, %65xample, full-width dots, port 080.
  const written = authority.toLowerCase();
  if (written !== parsed.host && written !== `${parsed.hostname}:${port}`) {
    return { fault: 'has a host or port written in an unusual way' };
  }
  const isAddress = /^\[|^[\d.]+$/.test(parsed.hostname);
  if (!isAddress && !/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(parsed.hostname)) {
    return { fault: 'has a host with unusual characters' };
  }
  const hasPath = rest[authority.length + 2] === '/';
  return {
    target: {
      url,
      scheme,
      isWeb: true,
      host: parsed.hostname,
      isAddress,
      port,
      hasOwnPort: parsed.port !== '',
      pathAndQuery: (hasPath ? parsed.pathname : '') + parsed.search,
      rest,
      hasHiddenSeparators: /%(25)*(2e|2f|5c)/i.test(parsed.pathname),
    },
  };
}
