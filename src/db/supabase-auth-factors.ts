/** Reads second factors and passkeys from a database of supabase/auth. */
import type pg from 'pg';

type Columns = Readonly<Record<string, unknown>>;

/** A verified row of auth.mfa_factors as JSON, with the set of recovery codes that belongs to it. */
export interface SupabaseAuthFactor {
  readonly factor: Columns & { readonly id: string };
  /** False: damaged, since a foreign key forbids it. */
  readonly has_account: boolean;
  readonly recovery_set: Columns | null;
  readonly codes: readonly Columns[] | null;
}

/** A row of auth.webauthn_credentials as JSON. */
export interface SupabaseAuthPasskey {
  readonly passkey: Columns & { readonly id: string };
  readonly has_account: boolean;
}

/** Which tables there are: releases before 2023, before passkeys and before 2.197 lack some. */
export interface FactorTables {
  readonly factors: boolean;
  readonly passkeys: boolean;
  readonly recoveryCodes: boolean;
}

export interface SupabaseAuthFactorReader {
  findFactorTables(): Promise<FactorTables>;
  /** Verified ones. */
  countFactors(): Promise<number>;
  /** The next verified ones by id. @param afterId of the last one that was read; null: from the beginning */
  readFactors(afterId: string | null, most: number, tables: FactorTables): Promise<SupabaseAuthFactor[]>;
  countPasskeys(): Promise<number>;
  readPasskeys(afterId: string | null, most: number): Promise<SupabaseAuthPasskey[]>;
}

const TABLES = `
  select to_regclass('mfa_factors') is not null as factors,
    to_regclass('webauthn_credentials') is not null as passkeys,
    to_regclass('mfa_recovery_code_sets') is not null and to_regclass('mfa_recovery_codes') is not null
      as "recoveryCodes"`;

const FACTORS = `
  select row_to_json(f) as factor, exists (select from users u where u.id = f.user_id) as has_account,
    null::json as recovery_set, null::json as codes
  from mfa_factors f
  where ($1::uuid is null or f.id > $1) and f.status = 'verified'
  order by f.id
  limit $2`;

const FACTORS_AND_CODES = `
  select row_to_json(f) as factor, exists (select from users u where u.id = f.user_id) as has_account,
    row_to_json(s) as recovery_set,
    (select json_agg(row_to_json(c) order by c.id) from mfa_recovery_codes c where c.mfa_recovery_code_set_id = s.id)
      as codes
  from mfa_factors f left join mfa_recovery_code_sets s on s.mfa_factor_id = f.id
  where ($1::uuid is null or f.id > $1) and f.status = 'verified'
  order by f.id
  limit $2`;

const PASSKEYS = `
  select row_to_json(p) as passkey, exists (select from users u where u.id = p.user_id) as has_account
  from webauthn_credentials p
  where $1::uuid is null or p.id > $1
  order by p.id
  limit $2`;

const COUNT_FACTORS = `select count(*)::int as count from mfa_factors where status = 'verified'`;
const COUNT_PASSKEYS = 'select count(*)::int as count from webauthn_credentials';

/** @param read runs a statement on the tables */
export function readSupabaseAuthFactors(
  read: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>,
): SupabaseAuthFactorReader {
  const count = async (text: string): Promise<number> => (await read<{ count: number }>(text, []))[0]!.count;
  return {
    findFactorTables: async () => (await read<FactorTables>(TABLES, []))[0]!,
    countFactors: () => count(COUNT_FACTORS),
    readFactors: (afterId, most, { recoveryCodes }) =>
      read<SupabaseAuthFactor>(recoveryCodes ? FACTORS_AND_CODES : FACTORS, [afterId, most]),
    countPasskeys: () => count(COUNT_PASSKEYS),
    readPasskeys: (afterId, most) => read<SupabaseAuthPasskey>(PASSKEYS, [afterId, most]),
  };
}
