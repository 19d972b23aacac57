/** Reads OAuth clients of supabase/auth. */
import type { ImportClient } from '../../../db/import-oauth.js';
import type { SupabaseAuthRow } from '../../../db/supabase-auth-oauth.js';
import type { Config } from '../../config/settings.js';
import { ApiError } from '../../errors.js';
import { type Fields, LEFT_OUT, RowFault, readText, readTime } from '../../importing/rows.js';
import { readNewClient } from '../../oauth/client-fields.js';
import { digestOf } from './digest.js';

/** SHA-256, base64url: as clients of ours have it. */
const SECRET_HASH = /^[\w-]{43}$/;

/**
 * Reads one client, by the rules for a new one.
 * @returns LEFT_OUT for a deleted client
 * @throws RowFault
 */
export function readMovedClient(row: SupabaseAuthRow, config: Config): ImportClient | typeof LEFT_OUT {
  if (readTime(row, 'deleted_at') !== null) return LEFT_OUT;
  if (readText(row, 'client_id') !== null) {
    throw new RowFault('it is known by a name of release 2.179: bring the other server up to date before');
  }
  const given = compact({
    redirect_uris: readList(row, 'redirect_uris'),
    grant_types: readList(row, 'grant_types'),
    client_type: readText(row, 'client_type') ?? 'confidential',
    token_endpoint_auth_method: readText(row, 'token_endpoint_auth_method'),
    client_name: readText(row, 'client_name'),
    client_uri: readText(row, 'client_uri'),
    logo_uri: readText(row, 'logo_uri'),
  });
  const fields = judged(() => readNewClient({ config }, given));
  const created_at = readTime(row, 'created_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const facts = {
    id: row.id,
    name: fields.name,
    client_type: fields.client_type,
    auth_method: fields.auth_method,
    secret_hash: fields.client_type === 'confidential' ? readSecretHash(row) : null,
    redirect_uris: fields.redirect_uris,
    grant_types: fields.grant_types,
    uri: fields.uri,
    logo_uri: fields.logo_uri,
    registration: readText(row, 'registration_type') === 'dynamic' ? ('dynamic' as const) : ('manual' as const),
    created_at,
    updated_at: readTime(row, 'updated_at') ?? created_at,
  };
  return { ...facts, digest: digestOf(facts) };
}

/** Without members that are null. */
const compact = (members: Fields): Fields =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Separated by commas there. */
function readList(row: Fields, name: string): readonly string[] {
  const entries = (readLongText(row, name) ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** Of any length. Empty counts as absent. @throws RowFault */
export function readLongText(row: Fields, name: string): string | null {
  const value = row[name] ?? '';
  if (typeof value !== 'string') throw new RowFault(`${name} is not a text`);
  return value === '' ? null : value;
}

function readSecretHash(row: Fields): string {
  const hash = readText(row, 'client_secret_hash');
  if (hash === null) throw new RowFault('client_secret_hash is missing');
  if (SECRET_HASH.test(hash)) return hash;
  // Releases from 2.180 on do not read it either.
  if (hash.startsWith('$2'))
    throw new RowFault('client_secret_hash is of release 2.179: renew the secret there before');
  throw new RowFault('client_secret_hash is no SHA-256 in base64url');
}

/** Runs rules of the admin API. @throws RowFault in place of ApiError */
export function judged<Result>(rule: () => Result): Result {
  try {
    return rule();
  } catch (error) {
    if (error instanceof ApiError) throw new RowFault(error.message);
    throw error;
  }
}
