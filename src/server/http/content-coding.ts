/**
 * Whether a client takes a content coding (RFC 9110, 12.5.3). A `*` does not count: no browser sends it.
 * @param accepted the header Accept-Encoding
 * @param coding such as `br`
 */
export function takesCoding(accepted: string | undefined, coding: 'br' | 'gzip'): boolean {
  for (const one of (accepted ?? '').split(',')) {
    const [name, weight = 'q=1'] = one.split(';').map((part) => part.trim().toLowerCase());
    if (name === coding) return !/^q=0(?:\.0*)?$/.test(weight);
  }
  return false;
}
