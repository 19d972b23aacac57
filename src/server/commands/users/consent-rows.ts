/** Reads what users of supabase/auth have allowed OAuth clients. */
import type { ImportConsent } from '../../../db/import-oauth.js';
import type { SupabaseAuthRow } from '../../../db/supabase-auth-oauth.js';
import { isUuid } from '../../../db/uuid.js';
import { type Fields, RowFault, readText, readTime } from '../../importing/rows.js';
import { digestOf } from './digest.js';

/**
 * Reads one consent, also one that was taken back.
 * @throws RowFault
 */
export function readConsent(row: SupabaseAuthRow): ImportConsent {
  const granted_at = readTime(row, 'granted_at');
  if (granted_at === null) throw new RowFault('granted_at is missing');
  const facts = {
    id: row.id,
    user_id: readOwnerId(row, 'user_id'),
    client_id: readOwnerId(row, 'client_id'),
    scopes: [...new Set((readText(row, 'scopes') ?? '').split(' ').filter(Boolean))],
    granted_at,
    revoked_at: readTime(row, 'revoked_at'),
  };
  return { ...facts, digest: digestOf(facts) };
}

function readOwnerId(row: Fields, name: string): string {
  const id = readText(row, name) ?? '';
  if (!isUuid(id)) throw new RowFault(`${name} is not a UUID`);
  return id.toLowerCase();
}
