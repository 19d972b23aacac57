/** A value of a setting on one line. */
export function sayValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
