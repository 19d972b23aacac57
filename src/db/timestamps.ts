/** Times that come from outside and go into a statement: what Postgres cannot read would fail there. */

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i;

/**
 * Whether a text is a moment with a zone (RFC 3339, seconds may be absent) that the calendar has: Date.parse() takes 30 February for a day
 * in March, and the year 0, which Postgres does not know.
 */
export function isTimestamp(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (TIME.exec(text) ?? []).slice(1).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
