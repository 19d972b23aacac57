export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Only the canonical format (RFC 9562 4). */
export const isUuid = (text: string): boolean => UUID.test(text);

const HEX = /^[0-9a-f]{32}$/i;

/**
 * Parses an id in any format that supabase/auth accepts: canonical, hex digits, in braces, as a URN. The database
 * always gets the canonical one (SEC-58).
 * @returns lower case; null when it is not a UUID
 */
export function readUuid(text: string): string | null {
  if (isUuid(text)) return text.toLowerCase();
  if (HEX.test(text)) return text.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const wrapped = /^(?:urn:uuid:(.{36})|\{(.{36})\})$/i.exec(text);
  const inner = wrapped?.[1] ?? wrapped?.[2] ?? '';
  return isUuid(inner) ? inner.toLowerCase() : null;
}
