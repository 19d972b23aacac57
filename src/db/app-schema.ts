/**
 * Makes and ends the schema that applications build on (DB_APP_SCHEMA; sql/app-schema): a mirror of accounts and identities, and the
 * functions of row-level security. Runs within the transaction of the migrations.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { applyPrefix, parseStatements } from './statements.js';

export interface AppSchemaOptions {
  /** Name of the schema; a plain lower-case name. */
  readonly schema: string;
  /** Rows that others insert become accounts. */
  readonly takesInserts: boolean;
  /** `last_sign_in_at` is kept up to date, too. */
  readonly mirrorsSignIns: boolean;
}

/** The schema cannot be made as it is; the message says what to do. */
export class AppSchemaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AppSchemaError';
  }
}

/** Columns that the mirror writes. A table of an older release of supabase/auth may lack some. */
const COLUMNS = {
  users:
    'instance_id id aud role email encrypted_password email_confirmed_at invited_at confirmation_token confirmation_sent_at recovery_token recovery_sent_at email_change_token_new email_change email_change_sent_at last_sign_in_at raw_app_meta_data raw_user_meta_data created_at updated_at phone phone_confirmed_at phone_change phone_change_token phone_change_sent_at email_change_token_current email_change_confirm_status banned_until reauthentication_token reauthentication_sent_at is_sso_user deleted_at is_anonymous',
  identities: 'id user_id provider provider_id identity_data last_sign_in_at created_at updated_at',
} as const;

/** Functions that policies call, by signature: what is there stays. */
export function appSchemaFunctions(schema: string): ReadonlyMap<string, string> {
  const parts = read('functions')
    .split(/^-- name: /m)
    .slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), part.slice(end + 1).replaceAll('/*a*/', `"${schema}".`)];
    }),
  );
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const FILL_AT_A_TIME = 5000;

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../sql/app-schema/${file}.sql`, import.meta.url)), 'utf8');

/**
 * A file of sql/app-schema with the names of both schemas in the places of their markers.
 * @throws Error for a name that is not plain (SEC-75)
 */
export function renderAppSchema(
  file: string,
  prefix: string,
  { schema, takesInserts }: Pick<AppSchemaOptions, 'schema' | 'takesInserts'>,
): string {
  if (!NAME.test(schema)) throw new Error('The name of the schema is not plain.');
  const text = read(file)
    .replace(/\/\*a\*\/([a-z_]+)/g, `"${schema}".$1`)
    .replaceAll('/*a*/', `"${schema}"`)
    .replaceAll('/*inserts*/refused', takesInserts ? 'taken' : 'refused');
  return applyPrefix(text, prefix);
}

/** What an earlier start has made: kept as the comment of a function. */
interface Made {
  readonly schema: string;
  readonly fingerprint: string;
}

async function readMade(client: pg.ClientBase, prefix: string): Promise<Made | null> {
  const { rows } = await client.query<{ comment: string | null }>(
    "select obj_description(to_regprocedure($1), 'pg_proc') as comment",
    [applyPrefix('/*p*/mirror_users(uuid[])', prefix)],
  );
  const [schema, fingerprint] = rows[0]?.comment?.split(' ') ?? [];
  return schema === undefined || fingerprint === undefined ? null : { schema, fingerprint };
}

/**
 * Brings the application's schema in line with the settings.
 * @param client in a transaction
 * @param wanted null: off
 * @returns what the operator should know
 * @throws AppSchemaError; the pg error of a statement, e.g. 42501 where the role may not change the schema
 */
export async function applyAppSchema(
  client: pg.ClientBase,
  prefix: string,
  wanted: AppSchemaOptions | null,
): Promise<string[]> {
  const made = await readMade(client, prefix);
  if (wanted === null) return made === null ? [] : endMirror(client, prefix, made.schema);
  const fingerprint = fingerprintOf(prefix, wanted);
  if (
    made?.schema === wanted.schema &&
    made.fingerprint === fingerprint &&
    (await isComplete(client, prefix, wanted))
  ) {
    return [];
  }
  const notices = made !== null && made.schema !== wanted.schema ? await endMirror(client, prefix, made.schema) : [];
  await assertUsable(client, prefix, wanted.schema);
  await prepareSession(client, prefix);
  const isNew = (await relationKind(client, wanted.schema, 'users')) === null;
  const run = (file: string) => client.query(renderAppSchema(file, prefix, wanted));
  if (isNew || (await relationKind(client, wanted.schema, 'identities')) === null) await run('tables');
  await assertSeen(client, wanted.schema);
  await assertColumns(client, wanted.schema);
  await run('mirror');
  await run('drop-writes');
  await run('writes');
  if (wanted.mirrorsSignIns) await run('sign-ins');
  else await run('no-sign-ins');
  await makeFunctions(client, wanted.schema);
  const sessions = await relationKind(client, wanted.schema, 'sessions');
  if (sessions === null || sessions === 'v') await run('sessions');
  await run('grants');
  if (isNew) await fill(client, prefix, wanted);
  await client.query(
    applyPrefix(`comment on function /*p*/mirror_users(uuid[]) is '${wanted.schema} ${fingerprint}'`, prefix),
  );
  return [...notices, `The schema ${wanted.schema} mirrors the accounts (DB_APP_SCHEMA).`];
}

function fingerprintOf(prefix: string, wanted: AppSchemaOptions): string {
  const files = ['tables', 'mirror', 'writes', 'functions', 'sessions', 'grants', 'sign-ins'];
  const texts = files.map((file) => renderAppSchema(file, prefix, wanted));
  return createHash('sha256')
    .update(JSON.stringify([texts, wanted]))
    .digest('hex')
    .slice(0, 16);
}

/** Parts may have been dropped, renamed or disabled since they were made. */
async function isComplete(client: pg.ClientBase, prefix: string, wanted: AppSchemaOptions): Promise<boolean> {
  const checks = parseStatements(renderAppSchema('check', prefix, wanted), 'check', prefix);
  const { text } = checks.find(({ key }) => key === 'check.is_complete')!;
  const { rows } = await client.query<{ is_complete: boolean }>(text);
  return rows[0]!.is_complete;
}

async function endMirror(client: pg.ClientBase, prefix: string, schema: string): Promise<string[]> {
  await client.query('set local client_min_messages = warning');
  for (const file of ['drop-writes', 'drop']) {
    await client.query(renderAppSchema(file, prefix, { schema, takesInserts: false }));
  }
  const hasView = (await relationKind(client, schema, 'sessions')) === 'v';
  return [
    `The tables users and identities of the schema ${schema} no longer follow the accounts (DB_APP_SCHEMA).`,
    ...(hasView ? [`The view ${schema}.sessions stays, since something of the application reads it.`] : []),
  ];
}

/**
 * For the functions that are made in this transaction: our schema, and no temporary table in the place of one of ours.
 * Notices of what `if exists` has not found are left out.
 */
const prepareSession = (client: pg.ClientBase, prefix: string): Promise<unknown> =>
  client.query(
    `select set_config('search_path', format('%I, pg_temp', n.nspname), true),
       set_config('client_min_messages', 'warning', true)
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass($1)`,
    [applyPrefix('/*p*/users', prefix)],
  );

/** `r`: a table, `v`: a view; null: there is none. */
async function relationKind(client: pg.ClientBase, schema: string, name: string): Promise<string | null> {
  const { rows } = await client.query<{ kind: string }>(
    'select c.relkind as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2',
    [schema, name],
  );
  return rows[0]?.kind ?? null;
}

/** Our own tables cannot be the mirror, and a mirror has one server. */
async function assertUsable(client: pg.ClientBase, prefix: string, schema: string): Promise<void> {
  const { rows } = await client.query<{ own_schema: string; follows: string | null }>(
    `select n.nspname as own_schema, (
       select p.proname from pg_trigger t join pg_proc p on p.oid = t.tgfoid
       where t.tgname = 'latchkey_changes' and t.tgrelid = to_regclass($2)
     ) as follows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = to_regclass($1)`,
    [applyPrefix('/*p*/users', prefix), `"${schema}"."users"`],
  );
  const [row] = rows;
  if (row?.own_schema === schema && prefix === '') {
    throw new AppSchemaError(
      `AUTH_DB_APP_SCHEMA is ${schema}, where Latchkey has its own tables. Set AUTH_DB_NAMESPACE, for example to latchkey, or take search_path out of the database URL.`,
    );
  }
  if (row?.follows != null && row.follows !== `${prefix}take_application_change`) {
    throw new AppSchemaError(
      `The schema ${schema} mirrors the accounts of another installation in this database. Give each its own AUTH_DB_APP_SCHEMA.`,
    );
  }
}

/** Row security that hides rows would make the mirror write them twice, or not at all. */
async function assertSeen(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ hides: boolean; role: string }>(
    'select row_security_active($1::regclass) or row_security_active($2::regclass) as hides, current_user as role',
    [`"${schema}"."users"`, `"${schema}"."identities"`],
  );
  if (rows[0]?.hides !== true) return;
  throw new AppSchemaError(
    `Row-level security of ${schema}.users or ${schema}.identities holds for the role ${rows[0].role}. Make it a member of the role that owns them, or: alter role ${rows[0].role} bypassrls`,
  );
}

async function assertColumns(client: pg.ClientBase, schema: string): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const { rows } = await client.query<{ name: string }>(
      `select w.name from unnest($3::text[]) as w (name)
       where not exists (
         select from information_schema.columns c where c.table_schema = $1 and c.table_name = $2 and c.column_name = w.name)`,
      [schema, table, columns.split(' ')],
    );
    if (rows.length === 0) continue;
    throw new AppSchemaError(
      `The table ${schema}.${table} has no ${rows.map(({ name }) => name).join(', ')}: it is of an older release of supabase/auth. Let a newer one migrate it first.`,
    );
  }
}

async function makeFunctions(client: pg.ClientBase, schema: string): Promise<void> {
  for (const [signature, text] of appSchemaFunctions(schema)) {
    const { rows } = await client.query<{ found: string | null }>('select to_regprocedure($1) as found', [
      `"${schema}".${signature}`,
    ]);
    if (rows[0]?.found === null) await client.query(text);
  }
}

/** Accounts that were there before the mirror. */
async function fill(client: pg.ClientBase, prefix: string, wanted: AppSchemaOptions): Promise<void> {
  for (const { text } of parseStatements(renderAppSchema('fill', prefix, wanted), 'fill', prefix)) {
    let after: string | null = null;
    do {
      const { rows }: pg.QueryResult<{ last: string | null }> = await client.query(text, [after, FILL_AT_A_TIME]);
      after = rows[0]?.last ?? null;
    } while (after !== null);
  }
}
