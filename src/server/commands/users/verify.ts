/** Compares what is at supabase/auth with what is here. */
import { randomUUID } from 'node:crypto';
import type { ImportAccount } from '../../../db/import.js';
import type { ImportSession } from '../../../db/import-sessions.js';
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { Database } from '../../../db/types.js';
import {
  countImported,
  findImported,
  readStoredAccounts,
  readStoredSessions,
  type StoredAccount,
  type StoredSession,
  sampleImported,
} from '../../../db/verify.js';
import type { Keys } from '../../sessions/keys.js';
import { NIL_UUID } from '../../uuid.js';
import { LEFT_OUT, type RowDefaults, RowFault, readRow } from './rows.js';
import { readSession } from './session-rows.js';

export interface Comparison {
  readonly totals: Readonly<Record<'there' | 'here', { accounts: number; identities: number; sessions: number }>>;
  /** Rows that were compared, those with a difference, and those that changed here since they were imported. */
  readonly accounts: Compared;
  readonly sessions: Compared;
}

interface Compared {
  compared: number;
  different: number;
  changedHere: number;
}

interface Sides {
  readonly db: Database;
  readonly peer: SupabaseAuthReader;
  readonly keys: Keys;
  readonly defaults: RowDefaults;
}

/** Rows of one stretch of the sample. Ids are random, so stretches from random places on are a fair one. */
const STRETCH = 50;

/**
 * Counts both sides, and compares rows from random places of each.
 * @param sample how many rows of each kind; at least all, when there are fewer
 * @param report called with each difference: the id and names of columns, no values
 */
export async function compareSides(sides: Sides, sample: number, report: (line: string) => void): Promise<Comparison> {
  const totals = { there: await sides.peer.countAll(), here: await countImported(sides.db) };
  const accounts = { compared: 0, different: 0, changedHere: 0 };
  const sessions = { compared: 0, different: 0, changedHere: 0 };
  for (const [after, most] of stretches(sample, totals.there.accounts)) {
    const page = await sides.peer.readUsers(after, most);
    await compareAccounts(sides, page, accounts, report);
  }
  for (const [after, most] of stretches(sample, totals.there.sessions)) {
    const page = await sides.peer.readSessions(after, most);
    await compareSessions(sides, page, sessions, report);
  }
  for (const what of ['accounts', 'sessions'] as const) {
    const seen = what === 'accounts' ? accounts : sessions;
    for (const [after, most] of stretches(sample, totals.here[what])) {
      const ids = await sampleImported(sides.db, what, after, most);
      const there = new Set(await sides.peer.findPresent(what, ids));
      for (const id of ids.filter((one) => !there.has(one))) {
        seen.different += 1;
        report(`${what.slice(0, -1)} ${id} is no longer there`);
      }
    }
  }
  return { totals, accounts, sessions };
}

/** Places to begin at, and how far to go. */
function stretches(sample: number, total: number): [string, number][] {
  if (total <= sample) return [[NIL_UUID, Math.max(1, total)]];
  return Array.from({ length: Math.ceil(sample / STRETCH) }, () => [randomUUID(), STRETCH]);
}

async function compareAccounts(
  { db, defaults }: Sides,
  page: Awaited<ReturnType<SupabaseAuthReader['readUsers']>>,
  seen: Compared,
  report: (line: string) => void,
): Promise<void> {
  const ids = page.map(({ user }) => user.id);
  const stored = new Map((await readStoredAccounts(db, ids)).map((row) => [row.id, row]));
  const known = await findImported(db, ids);
  for (const { user, identities } of page) {
    const account = attempt(() => readRow({ ...user, identities: identities ?? [] }, defaults));
    judge(`account ${user.id}`, account, stored.get(user.id), known.has(user.id), accountDifferences, seen, report);
  }
}

async function compareSessions(
  { db, keys }: Sides,
  page: Awaited<ReturnType<SupabaseAuthReader['readSessions']>>,
  seen: Compared,
  report: (line: string) => void,
): Promise<void> {
  const ids = page.map(({ session }) => session.id);
  const stored = new Map((await readStoredSessions(db, ids)).map((row) => [row.id, row]));
  const known = await findImported(db, ids);
  for (const row of page) {
    const { id } = row.session;
    const session = attempt(() => readSession(row, keys));
    judge(`session ${id}`, session, stored.get(id), known.has(id), sessionDifferences, seen, report);
  }
}

/** @returns the fault of a row that cannot be imported */
function attempt<Item>(read: () => Item): Item | RowFault {
  try {
    return read();
  } catch (error) {
    if (error instanceof RowFault) return error;
    throw error;
  }
}

function judge<Item, Stored extends { has_changed: boolean }>(
  name: string,
  item: Item | typeof LEFT_OUT | RowFault,
  stored: Stored | undefined,
  wasImported: boolean,
  differencesOf: (item: Item, stored: Stored) => string[],
  seen: Compared,
  report: (line: string) => void,
): void {
  if (item === LEFT_OUT) return;
  seen.compared += 1;
  const names = stored === undefined || item instanceof RowFault ? [] : differencesOf(item as Item, stored);
  let fault: string | null = null;
  if (item instanceof RowFault) fault = `cannot be imported: ${item.message}`;
  else if (stored === undefined) fault = wasImported ? null : 'is not here';
  else if (names.length === 0) return;
  else fault = stored.has_changed ? null : `differs in ${names.join(', ')}`;
  if (fault === null) seen.changedHere += 1;
  else {
    seen.different += 1;
    report(`${name} ${fault}`);
  }
}

function accountDifferences({ user, identities }: ImportAccount, stored: StoredAccount): string[] {
  const names = different(user, stored.user);
  const here = new Map((stored.identities ?? []).map((one) => [`${one['provider']} ${one['provider_id']}`, one]));
  const isSame = (one: ImportAccount['identities'][number]): boolean => {
    const other = here.get(`${one.provider} ${one.provider_id}`);
    return other !== undefined && different({ identity_data: one.identity_data }, other).length === 0;
  };
  if (identities.length !== here.size || !identities.every(isSame)) names.push('identities');
  return names;
}

function sessionDifferences({ session }: ImportSession, stored: StoredSession): string[] {
  const { digest: _, token_key: __, ...facts } = session;
  return different(facts, stored.session);
}

/** Names of the members that are not equal; key order and the format of a time do not matter. */
const different = (one: object, other: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(one)
    .filter(([name, value]) => canonical(value) !== canonical(other[name]))
    .map(([name]) => name);

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, member: unknown) => {
    if (typeof member === 'string' && TIME.test(member)) return toInstant(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

/** To the microsecond. */
function toInstant(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const whole = Date.parse(
    text
      .replace(/\.\d+/, '')
      .replace(' ', 'T')
      .replace(/([+-]\d\d)$/, '$1:00'),
  );
  return `${whole}.${fraction.padEnd(6, '0').slice(0, 6)}`;
}
