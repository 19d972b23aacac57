import { type Parsed, parseUrl } from './parse.js';

const fault = (fault: string): { fault: string } => ({ fault });

/** An issuer of ID tokens, and the audiences its tokens may be for besides the client ids of its provider. */
export interface IdTokenIssuer {
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/**
 * Comma-separated issuers, each `issuer` or `issuer;audience,audience`. A scheme begins a new entry, since audiences
 * are separated by commas, too. A repeated issuer adds to its audiences, so that several audiences can be URLs. An
 * issuer is a URL without query and fragment (OpenID Connect Discovery 1.0, 2).
 */
export function parseIssuers(text: string): Parsed<IdTokenIssuer[]> {
  const found = new Map<string, string[]>();
  let audiences: string[] | null = null;
  for (const item of text.split(',').map((item) => item.trim())) {
    if (item === '') continue;
    const semicolon = item.indexOf(';');
    const isEntry = semicolon >= 0 || /^[a-z][a-z0-9+.-]*:\/\//i.test(item);
    if (!isEntry) {
      if (audiences === null) return fault('must begin each entry with an issuer: issuer or issuer;audience,audience');
      audiences.push(item);
      continue;
    }
    const [issuer, first] = semicolon < 0 ? [item, null] : [item.slice(0, semicolon), item.slice(semicolon + 1)];
    const url = parseUrl(issuer);
    if ('fault' in url) return fault(`names an issuer that ${url.fault}`);
    if (/[?#]/.test(url.value)) return fault('names an issuer with a query or a fragment, which no issuer has');
    if (first !== null && (first.trim() === '' || first.includes(';'))) {
      return fault('must have one semicolon in an entry, and an audience behind it');
    }
    const known: string[] = found.get(url.value) ?? [];
    found.set(url.value, known);
    audiences = first === null ? null : known;
    if (first !== null) known.push(first.trim());
  }
  return { value: [...found].map(([issuer, audiences]) => ({ issuer, audiences })) };
}
