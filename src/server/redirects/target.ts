/** Parses redirect targets. */

export interface Target {
  /** Valid in a Location header. */
  readonly url: string;
  /** Lower case, no colon. */
  readonly scheme: string;
  /** http or https. */
  readonly isWeb: boolean;
  /** Lower case, as URL.hostname; null if the scheme of an app is not followed by `//`. */
  readonly host: string | null;
  readonly isIpAddress: boolean;
  /** Explicit or the default of the scheme; '' for schemes other than http and https. */
  readonly port: string;
  readonly hasOwnPort: boolean;
  /** Path, with dot segments resolved ('' if there is none), and query. No fragment. */
  readonly pathAndQuery: string;
  /** For other schemes: the text after the colon, without the fragment. */
  readonly rest: string;
  /** The path may become another one in a server that decodes it twice. */
  readonly hasHiddenSeparators: boolean;
}

/** Stored with flows that unauthenticated clients start (SEC-88); longer URLs also break in mails and proxies. */
const MAX_LENGTH = 2048;
/** Schemes that a browser executes or reads from the local machine. */
const UNSAFE_SCHEMES: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'file', 'blob', 'about']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * Parses a candidate. Rejects first what two parsers could read differently.
 * @returns the target, or the fault, which completes a sentence that begins with the URL
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
    const none = { isIpAddress: false, port: '', hasOwnPort: false, pathAndQuery: '', hasHiddenSeparators: false };
    return { target: { url, scheme, isWeb: false, host, rest, ...none } };
  }
  if (!authority) return { fault: `must begin with ${scheme}:// and a host` };
  const port = parsed.port || DEFAULT_PORTS[scheme]!;
  // Text and parsed form must be equal. This rejects 0x7f.1, 2130706433, %65xample, full-width dots and port 080.
  const written = authority.toLowerCase();
  if (written !== parsed.host && written !== `${parsed.hostname}:${port}`) {
    return { fault: 'has a host or port written in an unusual way' };
  }
  const isIpAddress = /^\[|^[\d.]+$/.test(parsed.hostname);
  if (
    !isIpAddress &&
    !/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(parsed.hostname)
  ) {
    return { fault: 'has a host with unusual characters' };
  }
  const hasPath = rest[authority.length + 2] === '/';
  return {
    target: {
      url,
      scheme,
      isWeb: true,
      host: parsed.hostname,
      isIpAddress,
      port,
      hasOwnPort: parsed.port !== '',
      pathAndQuery: (hasPath ? parsed.pathname : '') + parsed.search,
      rest,
      hasHiddenSeparators: /%(25)*(2e|2f|5c)/i.test(parsed.pathname),
    },
  };
}
