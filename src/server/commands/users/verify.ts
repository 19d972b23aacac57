/** Compares what is at supabase/auth with what is here. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/types.js';
import { NIL_UUID } from '../../../db/uuid.js';
import {
  countImported,
  findImported,
  type ImportedTotals,
  type MovedKind,
  sampleImported,
} from '../../../db/verify.js';
import { LEFT_OUT, RowFault } from '../../importing/rows.js';
import {
  accountKind,
  clientKind,
  consentKind,
  factorKind,
  type Kind,
  passkeyKind,
  providerKind,
  type Sides,
  sessionKind,
  ssoProviderKind,
} from './verify-kinds.js';

/** Of each kind: rows that were compared, those with a difference, and those that changed here since they were imported. */
export interface Comparison extends Readonly<Record<MovedKind, Compared>> {
  readonly totals: Readonly<Record<'there' | 'here', ImportedTotals>>;
}

interface Compared {
  compared: number;
  different: number;
  changedHere: number;
}

type Report = (line: string) => void;

/** Rows of one stretch of the sample. Ids are random, so stretches from random places on are a fair one. */
const STRETCH = 50;

/**
 * Counts both sides, and compares rows from random places of each.
 * @param sample how many rows of each kind; at least all, when there are fewer
 * @param report called with each difference: the id and names of columns, no values
 */
export async function compareSides(sides: Sides, sample: number, report: Report): Promise<Comparison> {
  const { db, peer } = sides;
  const tables = await peer.findFactorTables();
  const oauth = await peer.findOauthTables();
  const there = {
    ...(await peer.countAll()),
    factors: tables.factors ? await peer.countFactors() : 0,
    passkeys: tables.passkeys ? await peer.countPasskeys() : 0,
    providers: oauth.providers ? await peer.countProviders() : 0,
    sso_providers: oauth.ssoProviders ? await peer.countSsoProviders() : 0,
    clients: oauth.clients ? await peer.countClients() : 0,
    consents: oauth.consents ? await peer.countConsents() : 0,
  };
  const totals = { there, here: await countImported(db) };
  const comparison = {
    ...{ totals, accounts: none(), sessions: none(), factors: none(), passkeys: none() },
    ...{ providers: none(), sso_providers: none(), clients: none(), consents: none() },
  };
  const compare = async <Row, Item, Stored extends { id: string; has_changed: boolean }>(
    kind: Kind<Row, Item, Stored>,
  ): Promise<void> => {
    const seen = comparison[kind.what];
    for (const [after, most] of stretches(sample, there[kind.what])) {
      await comparePage(db, kind, await kind.readPage(after, most), seen, report);
    }
    for (const [after, most] of stretches(sample, totals.here[kind.what])) {
      const ids = await sampleImported(db, kind.what, after, most);
      const present = new Set(await peer.findPresent(kind.what, ids));
      for (const id of ids.filter((one) => !present.has(one))) {
        seen.different += 1;
        report(`${nameOf(kind.what)} ${id} is no longer there`);
      }
    }
  };
  await compare(accountKind(sides));
  await compare(sessionKind(sides));
  if (tables.factors) await compare(factorKind(sides, tables));
  if (tables.passkeys) await compare(passkeyKind(sides));
  if (oauth.providers) await compare(providerKind(sides));
  if (oauth.ssoProviders) await compare(ssoProviderKind(sides));
  if (oauth.clients) await compare(clientKind(sides));
  if (oauth.consents) await compare(consentKind(sides));
  return comparison;
}

const nameOf = (what: MovedKind): string => what.slice(0, -1).replace('_', ' ');

const none = (): Compared => ({ compared: 0, different: 0, changedHere: 0 });

/** Places to begin at, and how far to go. */
function stretches(sample: number, total: number): [string, number][] {
  if (total <= sample) return [[NIL_UUID, Math.max(1, total)]];
  return Array.from({ length: Math.ceil(sample / STRETCH) }, () => [randomUUID(), STRETCH]);
}

async function comparePage<Row, Item, Stored extends { id: string; has_changed: boolean }>(
  db: Database,
  kind: Kind<Row, Item, Stored>,
  page: readonly Row[],
  seen: Compared,
  report: Report,
): Promise<void> {
  const ids = page.map(kind.idOf);
  const stored = new Map((await kind.readStored(ids, page)).map((row) => [row.id, row]));
  const known = await findImported(db, ids);
  for (const row of page) {
    const id = kind.idOf(row);
    const name = `${nameOf(kind.what)} ${id}`;
    const item = attempt(() => kind.readItem(row));
    judge(name, item, stored.get(id), known.has(id), kind.differencesOf, seen, report);
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
