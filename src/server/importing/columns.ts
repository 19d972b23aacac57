/** Which column of a CSV file becomes which field of an account, and its cells as that field. */
import { parseJsonText } from './json-line.js';
import { type FieldFault, type Fields, RowFault } from './rows.js';

type CellKind = 'text' | 'boolean' | 'object';

/** Fields that a column may become, in the order in which operators see them. */
const fields = {
  id: 'text',
  email: 'text',
  email_confirmed_at: 'text',
  email_confirmed: 'boolean',
  phone: 'text',
  phone_confirmed_at: 'text',
  phone_confirmed: 'boolean',
  password_hash: 'text',
  created_at: 'text',
  updated_at: 'text',
  last_sign_in_at: 'text',
  invited_at: 'text',
  banned_until: 'text',
  deleted_at: 'text',
  role: 'text',
  aud: 'text',
  is_anonymous: 'boolean',
  is_sso_user: 'boolean',
  user_metadata: 'object',
  app_metadata: 'object',
} as const satisfies Record<string, CellKind>;

export const columnFields = Object.keys(fields);

/** One key of the metadata: the cell is a text of it. */
const METADATA_KEY = /^(user_metadata|app_metadata)\.([\w-]{1,64})$/;

/** Other names of columns, as other systems export them: in lower case, with _ between words. */
const synonyms: Readonly<Record<string, string>> = {
  user_id: 'id',
  uid: 'id',
  uuid: 'id',
  e_mail: 'email',
  mail: 'email',
  email_address: 'email',
  email_verified: 'email_confirmed',
  verified: 'email_confirmed',
  confirmed: 'email_confirmed',
  phone_number: 'phone',
  mobile: 'phone',
  telephone: 'phone',
  phone_verified: 'phone_confirmed',
  encrypted_password: 'password_hash',
  passwordhash: 'password_hash',
  created: 'created_at',
  last_login: 'last_sign_in_at',
  raw_user_meta_data: 'user_metadata',
  raw_app_meta_data: 'app_metadata',
  name: 'user_metadata.name',
  full_name: 'user_metadata.full_name',
  first_name: 'user_metadata.first_name',
  last_name: 'user_metadata.last_name',
  given_name: 'user_metadata.given_name',
  family_name: 'user_metadata.family_name',
  nickname: 'user_metadata.nickname',
  locale: 'user_metadata.locale',
};

/** A field for each column of the file, in order; null: left out. */
export type ColumnTargets = readonly (string | null)[];

/** By the names of the columns; of two that fit one field, the first. */
export function suggestTargets(columns: readonly string[]): ColumnTargets {
  const taken = new Set<string>();
  return columns.map((column) => {
    const name = column
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_');
    const target = Object.hasOwn(fields, name) ? name : METADATA_KEY.test(name) ? name : (synonyms[name] ?? null);
    if (target === null || taken.has(target)) return null;
    taken.add(target);
    return target;
  });
}

/** @returns what is wrong with the columns of a file, or with what they are to become */
export function findColumnFaults(columns: readonly string[], targets: ColumnTargets): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  const fault = (field: string | null, message: string) => faults.push({ field, message });
  const twice = columns.filter((name, i) => name.trim() !== '' && columns.indexOf(name) !== i);
  for (const name of new Set(twice)) fault(name, `the column ${name} is there twice`);
  if (targets.length !== columns.length) fault(null, `the file has ${columns.length} columns`);
  const seen = new Set<string>();
  for (const [i, target] of targets.entries()) {
    if (target === null) continue;
    const column = columns[i] ?? null;
    if (!isTarget(target)) fault(column, `${target} is no field of an account`);
    else if (seen.has(target)) fault(column, `two columns become ${target}`);
    seen.add(target);
  }
  if (!['email', 'phone', 'is_anonymous'].some((name) => seen.has(name))) {
    fault(null, 'a column must become email or phone');
  }
  return faults;
}

const isTarget = (target: string): boolean =>
  Object.hasOwn(fields, target) || (METADATA_KEY.exec(target)?.[2] ?? '__proto__') !== '__proto__';

/** @returns the column that becomes a field, such as `E-mail` for `email` */
export const columnOf = (columns: readonly string[], targets: ColumnTargets, field: string): string | null =>
  columns[targets.findIndex((target) => target === field || target?.startsWith(`${field}.`))] ?? null;

/**
 * @returns the fields of an account as a line of JSON would have them
 * @throws RowFault with all cells that are no value of their field
 */
export function fieldsOfCells(cells: readonly string[], columns: readonly string[], targets: ColumnTargets): Fields {
  if (cells.length !== columns.length) {
    throw new RowFault(`it has ${cells.length} cells, and the first line names ${columns.length} columns`);
  }
  const row: Record<string, unknown> = {};
  const keys: { readonly object: string; readonly key: string; readonly value: string }[] = [];
  const faults: FieldFault[] = [];
  for (const [i, target] of targets.entries()) {
    const cell = cells[i]!;
    if (target === null || cell === '') continue;
    const [, object, key] = METADATA_KEY.exec(target) ?? [];
    if (object !== undefined) keys.push({ object, key: key!, value: cell });
    else row[target] = readCell(target as keyof typeof fields, cell, faults);
  }
  if (faults.length > 0) throw RowFault.of(faults);
  for (const { object, key, value } of keys) row[object] = { ...(row[object] as Fields | undefined), [key]: value };
  for (const channel of ['email', 'phone']) {
    if (row[`${channel}_confirmed`] === true) row[`${channel}_confirmed_at`] ??= readableTime(row['created_at']);
  }
  return row;
}

/** An address is confirmed, and the file does not say since when: since the account is there, or now. */
const readableTime = (created: unknown): string =>
  typeof created === 'string' && !Number.isNaN(Date.parse(created)) ? created : new Date().toISOString();

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
};

function readCell(field: keyof typeof fields, cell: string, faults: FieldFault[]): unknown {
  const kind: CellKind = fields[field];
  if (kind === 'text') return cell;
  if (kind === 'boolean') {
    const value = booleans[cell.trim().toLowerCase()];
    if (value === undefined) faults.push({ field, message: `${field} is not true or false` });
    return value;
  }
  try {
    return parseJsonText(Buffer.from(cell));
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    faults.push({ field, message: `${field} ${error.message}` });
    return undefined;
  }
}
