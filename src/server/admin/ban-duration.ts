import { apiError } from '../errors.js';

/** Seconds per unit. Grammar and error texts are those of Go's time.ParseDuration, as in supabase/auth. */
const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** 2^63 nanoseconds, some 292 years. */
const MAX_SECONDS = 2 ** 63 / 1e9;
const PART = /([0-9]*)(\.[0-9]*)?([^0-9.]*)/y;

/** Null: no change. `seconds`: null lifts the ban; a negative number sets its end in the past. */
export type BanChange = { readonly seconds: number | null } | null;

/**
 * Parses `ban_duration`.
 * @param text `none`, or an optional sign and decimals with a unit each: ns, us, ms, s, m, h
 * @throws ApiError banDurationInvalid
 */
export function readBanDuration(text: string): BanChange {
  if (text === '') return null;
  if (text === 'none') return { seconds: null };
  const seconds = parseGoDuration(text);
  return { seconds: seconds === 0 ? null : seconds };
}

function parseGoDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '') throw invalid(text);
  let total = 0;
  for (PART.lastIndex = 0; PART.lastIndex < rest.length; ) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(rest)!;
    if (whole === '' && fraction.length < 2) throw invalid(text);
    if (unit === '') throw fault(`time: missing unit in duration ${quote(text)}`);
    if (!Object.hasOwn(unitSeconds, unit)) {
      throw fault(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    }
    total += Number(`${whole || '0'}${fraction === '.' ? '' : fraction}`) * unitSeconds[unit]!;
  }
  if (!(total <= MAX_SECONDS)) throw invalid(text);
  return sign * total;
}

const invalid = (text: string) => fault(`time: invalid duration ${quote(text)}`);
const fault = (detail: string) => apiError('banDurationInvalid', { detail });
const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
