const MIN_SECONDS = 300;
const MAX_SECONDS = 86_400;

/**
 * How long an answer may be used without asking again, by its headers (RFC 9111 4.2), between five minutes and a day.
 * @param headers by lower-case name
 */
export function freshSeconds(headers: Readonly<Record<string, string>>, nowMs: number): number {
  const seconds = statedSeconds(headers, nowMs);
  return Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, Number.isFinite(seconds) ? seconds : 0));
}

function statedSeconds(headers: Readonly<Record<string, string>>, nowMs: number): number {
  const directives = (headers['cache-control'] ?? '').toLowerCase().split(',');
  const names = directives.map((one) => one.split('=', 1)[0]!.trim());
  if (names.includes('no-store') || names.includes('no-cache')) return 0;
  const maxAge = /^\s*max-age\s*=\s*"?(\d+)"?\s*$/.exec(directives[names.indexOf('max-age')] ?? '')?.[1];
  if (maxAge !== undefined) return Number(maxAge) - Number(headers['age'] ?? 0);
  return (Date.parse(headers['expires'] ?? '') - (Date.parse(headers['date'] ?? '') || nowMs)) / 1000;
}
