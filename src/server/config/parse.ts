/**
 * Parses the text of a setting into a value or a fault. A fault never repeats the text, which may be a secret (SEC-74).
 * Syntax: docs/settings.md. A bare number is a duration in seconds (docs/decisions.md, Values of settings).
 */

export type Parsed<T> = { readonly value: T } | { readonly fault: string };

/**
 * `refillSeconds` null: at most `count` per hour. A number: a bucket of `count`, refilled by one each so many seconds.
 */
export interface Rate {
  readonly count: number;
  readonly refillSeconds: number | null;
}

const value = <T>(value: T): Parsed<T> => ({ value });
const fault = (fault: string): { fault: string } => ({ fault });

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export function parseBool(text: string): Parsed<boolean> {
  const word = text.trim();
  if (TRUE.has(word)) return value(true);
  if (FALSE.has(word)) return value(false);
  return fault('must be true or false (1, t, true, 0, f and false are understood; yes and on are not)');
}

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function withinBounds(number: number, { min, max }: Bounds): Parsed<number> {
  if (min !== undefined && number < min) return fault(`must be at least ${min}`);
  if (max !== undefined && number > max) return fault(`must be at most ${max}`);
  return value(number);
}

/** Decimal, 0x, 0o or 0b, with `_` between digits. No leading zeros: some tools read 010 as eight. */
export function parseInteger(text: string, bounds: Bounds = {}): Parsed<number> {
  const match = /^([+-]?)(0x[\da-f]+(?:_[\da-f]+)*|0o[0-7]+(?:_[0-7]+)*|0b[01]+(?:_[01]+)*|0|[1-9]\d*(?:_\d+)*)$/i.exec(
    text.trim(),
  );
  if (match === null) return fault('must be a whole number');
  const magnitude = Number(match[2]!.replaceAll('_', ''));
  if (!Number.isSafeInteger(magnitude)) return fault('is too large a number');
  return withinBounds(match[1] === '-' && magnitude !== 0 ? -magnitude : magnitude, bounds);
}

export function parseFloating(text: string, bounds: Bounds = {}): Parsed<number> {
  const word = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return fault('must be a number');
  const number = Number(word);
  return Number.isFinite(number) ? withinBounds(number, bounds) : fault('is too large a number');
}

/** Each unit as an exact fraction of a second: multiplying first keeps 300ms at 0.3 and not 0.30000000000000004. */
const UNITS: Readonly<Record<string, readonly [times: number, over: number]>> = {
  ns: [1, 1e9],
  us: [1, 1e6],
  µs: [1, 1e6],
  μs: [1, 1e6],
  ms: [1, 1e3],
  s: [1, 1],
  m: [60, 1],
  h: [3600, 1],
};
/** The range of Go's int64 nanoseconds, about 292 years. */
const MAX_SECONDS = 9_223_372_036;

export interface DurationRules {
  /** Only whole seconds, where the value becomes a claim or a column that holds seconds. */
  readonly whole?: boolean;
  /** Zero is invalid, too. */
  readonly positive?: boolean;
  readonly maxSeconds?: number;
}

/**
 * A duration in Go's syntax (`1h30m`, `1.5h`, `250ms`) or a bare number of seconds.
 * @returns seconds, 0 or more, with a fraction where the text has one
 */
export function parseDuration(text: string, rules: DurationRules = {}): Parsed<number> {
  const word = text.trim();
  let seconds: number;
  if (/^\+?(\d+\.?\d*|\.\d+)$/.test(word)) {
    seconds = Number(word);
  } else if (/^\+?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(word)) {
    seconds = 0;
    for (const [, amount, unit] of word.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
      const [times, over] = UNITS[unit!]!;
      seconds += (Number(amount) * times) / over;
    }
    // A double keeps 15 decimal digits; this drops the rounding errors of the additions.
    seconds = Number(seconds.toPrecision(15));
  } else if (/^-/.test(word)) {
    return fault('must not be negative');
  } else {
    return fault('must be a duration such as 10s, 5m or 1h30m (units ns, us, ms, s, m, h), or a number of seconds');
  }
  if (seconds > MAX_SECONDS) return fault('is longer than 292 years');
  if (rules.whole && !Number.isInteger(seconds)) return fault('must be whole seconds');
  if (rules.positive && seconds === 0) return fault('must be longer than zero; leave it out to switch it off');
  if (rules.maxSeconds !== undefined && seconds > rules.maxSeconds)
    return fault(`must be at most ${rules.maxSeconds}s`);
  return value(seconds);
}

/** Items between commas. White space around them and empty items are dropped. */
export function parseList(text: string): Parsed<string[]> {
  const items = text.split(',').map((item) => item.trim());
  return value(items.filter((item) => item !== ''));
}

/** Like {@link parseList}, but byte for byte: white space may be part of a secret. */
export function parseSecretList(text: string): Parsed<string[]> {
  return value(text.split(',').filter((item) => item !== ''));
}

/** `key:value` pairs between commas, split at the first colon. */
export function parseMap(text: string): Parsed<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const item of text.split(',').map((item) => item.trim())) {
    if (item === '') continue;
    const colon = item.indexOf(':');
    if (colon < 1) return fault('must be pairs key:value with commas between them');
    pairs.push([item.slice(0, colon), item.slice(colon + 1)]);
  }
  return value(Object.fromEntries(pairs));
}

/** Sets between colons; `\:` is a colon inside a set; empty sets are dropped. */
export function parseCharacterSets(text: string): Parsed<string[]> {
  const sets = [''];
  for (const [piece] of text.matchAll(/\\:|./gsu)) {
    if (piece === ':') sets.push('');
    else sets[sets.length - 1] += piece === '\\:' ? ':' : piece;
  }
  return value(sets.filter((set) => set !== ''));
}

/** `N` per hour, or `N/DURATION`: N at once, then one more each DURATION. */
export function parseRate(text: string): Parsed<Rate> {
  const shape =
    'must be a number per hour such as 30, or a number and the time until one more is granted such as 10/1m';
  const word = text.trim();
  const slash = word.indexOf('/');
  if (slash < 0) {
    const count = parseFloating(word, { min: 0 });
    return 'value' in count ? value({ count: count.value, refillSeconds: null }) : fault(shape);
  }
  const refill = word.slice(slash + 1);
  const count = parseInteger(word.slice(0, slash), { min: 0 });
  const refillSeconds = parseDuration(refill, { positive: true });
  // No bare number of seconds here: 100/1 could mean "per hour" as well as "per second".
  if (!('value' in count) || !('value' in refillSeconds) || !/[a-z]$/.test(refill)) return fault(shape);
  return value({ count: count.value, refillSeconds: refillSeconds.value });
}

/** Schemes that a browser would execute or read from disk. */
const UNSAFE_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:']);

export interface UrlRules {
  /** Also the scheme of a mobile app, e.g. `com.example.app://`. */
  readonly anyScheme?: boolean;
  /** Paths are appended: trailing slashes are cut. */
  readonly base?: boolean;
}

/** An absolute URL (WHATWG). Returned unchanged, except trailing slashes of a base. */
export function parseUrl(text: string, { anyScheme = false, base = false }: UrlRules = {}): Parsed<string> {
  const word = text.trim();
  const url = URL.canParse(word) ? new URL(word) : null;
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return fault('must be an absolute URL');
  if (anyScheme ? UNSAFE_SCHEMES.has(url.protocol) : !/^https?:$/.test(url.protocol)) {
    return fault('must begin with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') return fault('must not hold a user name or password');
  return value(base ? word.replace(/\/+$/, '') : word);
}

export function parsePostgresUrl(text: string): Parsed<string> {
  const word = text.trim();
  return /^postgres(ql)?:\/\/./.test(word) ? value(word) : fault('must be a URL beginning with postgres://');
}

/** One of several words, in any case. `synonyms` maps other spellings to one of the choices. */
export function parseChoice(
  text: string,
  choices: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): Parsed<string> {
  const word = text.trim().toLowerCase();
  const choice = Object.hasOwn(synonyms, word) ? synonyms[word]! : word;
  return choices.includes(choice) ? value(choice) : fault(`must be one of: ${choices.join(', ')}`);
}

/** An RFC 3339 timestamp with an offset. Returned unchanged. */
export function parseTime(text: string): Parsed<string> {
  const word = text.trim();
  const match = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.exec(
    word,
  );
  const shape = 'must be a moment in RFC 3339, with Z or an offset';
  if (match === null || Number.isNaN(Date.parse(word))) return fault(shape);
  // Date.parse turns 30 February into a day in March.
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? value(word) : fault(shape);
}

/** A JSON object of lists of strings: `{"X-Tag": ["a", "b"]}`. */
export function parseHeaders(text: string): Parsed<Record<string, string[]>> {
  const shape = 'must be a JSON object whose values are lists of strings';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return fault(shape);
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return fault(shape);
  const headers: [string, string[]][] = [];
  for (const [name, list] of Object.entries(parsed)) {
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return fault(shape);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return fault('must have header names of letters, digits and dashes');
    if (list.some((item) => /[\0\r\n]/.test(item))) return fault('must not hold line breaks');
    headers.push([name, list]);
  }
  return value(Object.fromEntries(headers));
}

/** Any text, or text that matches a pattern. */
export function parseText(
  text: string,
  pattern?: RegExp,
  patternInWords = 'does not have the right shape',
): Parsed<string> {
  return pattern === undefined || pattern.test(text) ? value(text) : fault(patternInWords);
}
