/** Paths and queries: read raw once, decoded once (SEC-13, SEC-14, SEC-15). */
import { apiError } from '../errors.js';

/** Security-relevant parameters: a second value would let two readers see different ones (SEC-15). */
const ONLY_ONCE = new Set([
  ...['provider', 'redirect_to', 'token', 'token_hash', 'type', 'code', 'state'],
  // One value could be what is signed, and the other one what is read (SAML Bindings 3.4.4.1).
  ...['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature'],
]);
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/**
 * Percent-decodes a path.
 * @param raw path of the request line, without query
 * @throws ApiError malformedRequest for control bytes, invalid UTF-8, dot or empty segments, encoded slashes and
 * twice-encoded text
 */
export function decodePath(raw: string): string {
  if (!raw.startsWith('/') || !/^[\x21-\x7e]+$/.test(raw)) throw malformedPath();
  let path = raw;
  if (raw.includes('%')) {
    if (/%(?:2f|5c)/i.test(raw)) throw malformedPath();
    const decoded = decodeText(raw);
    if (decoded === null || decoded === undefined || /%[0-9a-f]{2}|[\x00-\x1f\x7f-\x9f]/i.test(decoded)) {
      throw malformedPath();
    }
    path = decoded;
  }
  if (path.includes('\\') || /\/\/|\/\.\.?(?:\/|$)/.test(path)) throw malformedPath();
  return path;
}

/** Apple's form has four fields, the confirmation page's three. */
const MAX_FORM_FIELDS = 100;

/**
 * Reads a form body, by the rules of {@link parseQuery}.
 * @throws ApiError malformedRequest for more than 100 fields; as parseQuery
 */
export function parseForm(raw: string): ReadonlyMap<string, string> {
  // Counted before parsing, including empty fields.
  let at = raw.indexOf('&');
  for (let fields = 1; at !== -1; fields++) {
    if (fields === MAX_FORM_FIELDS)
      throw apiError('malformedRequest', { reason: `more than ${MAX_FORM_FIELDS} fields` });
    at = raw.indexOf('&', at + 1);
  }
  return parseQuery(raw);
}

/**
 * Reads a query string: first value of each name, `+` is a space. A pair whose percent-encoding is broken is dropped
 * and the rest is kept, as in supabase/auth.
 * @param isLink the URL was in a mail, so some programs have written its `&` as `&amp;`: `amp;type` is read as `type`
 * @throws ApiError repeatedParameter (SEC-15); malformedRequest for invalid UTF-8 and control bytes. TAB, LF and CR may
 * occur in values: providers send them in error texts, and every output of a value checks it.
 */
export function parseQuery(raw: string, isLink = false): ReadonlyMap<string, string> {
  if (raw === '') return NO_PARAMETERS;
  const parameters = new Map<string, string>();
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const written = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    if (written === null) continue;
    const name = isLink ? written.replace(/^(?:amp;)+/i, '') : written;
    if (parameters.has(name)) {
      if (ONLY_ONCE.has(name)) throw apiError('repeatedParameter', { name });
      continue;
    }
    const value = equals === -1 ? '' : decodeFormText(pair.slice(equals + 1));
    if (value !== null) parameters.set(name, value);
    else if (ONLY_ONCE.has(name)) throw malformedQuery();
  }
  return parameters;
}

/** Most values of one name that are read; the rest is ignored. */
const MAX_VALUES = 20;

/**
 * All values of a name in a query or form, by the rules of {@link parseQuery}.
 * @throws ApiError malformedRequest
 */
export function valuesOf(raw: string, name: string): string[] {
  const values: string[] = [];
  for (const pair of raw.split('&')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || values.length === MAX_VALUES || decodeFormText(pair.slice(0, equals)) !== name) continue;
    const value = decodeFormText(pair.slice(equals + 1));
    if (value !== null) values.push(value);
  }
  return values;
}

/** Many requests repeat the previous query: `grant_type=refresh_token`. */
let lastQuery = '';
let lastParameters = NO_PARAMETERS;

/** {@link parseQuery}, with the last result cached. */
export function readQuery(raw: string): ReadonlyMap<string, string> {
  if (raw !== lastQuery) {
    lastParameters = parseQuery(raw);
    lastQuery = raw;
  }
  return lastParameters;
}

/** The query of a link that people get by mail. @throws ApiError as {@link parseQuery} */
export const readLinkQuery = (raw: string): ReadonlyMap<string, string> =>
  /amp(?:;|%3b)/i.test(raw) ? parseQuery(raw, true) : readQuery(raw);

/** @returns null when the percent-encoding is broken */
function decodeFormText(raw: string): string | null {
  if (/^[\w.-]*$/.test(raw)) return raw;
  const text = /[%+]/.test(raw) ? decodeText(spacesForPlus(raw)) : raw;
  if (text === undefined || (text !== null && /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text))) throw malformedQuery();
  return text;
}

/** Byte by byte: a form of nothing but `+` takes split and join, or replaceAll, ten times as long. @param raw without lone surrogates */
function spacesForPlus(raw: string): string {
  if (!raw.includes('+')) return raw;
  const bytes = Buffer.from(raw, 'utf8');
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === PLUS) bytes[i] = SPACE;
  }
  return bytes.toString('utf8');
}

const PLUS = 0x2b;
const SPACE = 0x20;

/** @returns null for broken percent-encoding, undefined for bytes that are not UTF-8 */
function decodeText(raw: string): string | null | undefined {
  if (/%(?![0-9a-f]{2})/i.test(raw)) return null;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

const malformedPath = () => apiError('malformedRequest', { reason: 'invalid path' });
const malformedQuery = () => apiError('malformedRequest', { reason: 'invalid query' });
