/** Whom limits and delays hold back, and until when; operators forgive. */
import { findUsersByContact } from '../../db/admin-users.js';
import {
  type CounterPlace,
  type CounterRuleOf,
  findHeldBack,
  forgiveCounter,
  type HeldBack,
  type ReadCounter,
  readCounters,
} from '../../db/limits.js';
import type { UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { spellEmail, stripPhone } from '../accounts/addresses.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { deriveFailureKey } from '../accounts/sign-in-delay.js';
import { apiError } from '../errors.js';
import { networkOf } from '../guards/client-key.js';
import { type NamedRule, namedRules } from '../guards/counter-rules.js';
import { recipientKey } from '../guards/recipient-key.js';
import { noticeKinds } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import { type Query, readCursorParts, readLimit, writeCursor } from './list-query.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';
import { failureKeyOf } from './operator-sign-in.js';

/** Of the table of counters, which may have a row for each client of the last days: about 20 ms. */
const MOST_SEEN = 20_000;

export interface HeldBackPage {
  readonly held: readonly HeldBack[];
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

/** @throws ApiError badPagination, badFilter */
export async function listHeldBack({ config, db }: App, query: Query): Promise<HeldBackPage> {
  const limit = readLimit(query);
  const name = query.get('name') || null;
  const rules = namedRules(config).filter((one) => name === null || one.name === name);
  if (rules.length === 0) throw apiError('badFilter', { reason: 'there is no limit of this name' });
  const [afterName, afterKey] = readCursorParts(query) ?? [name ?? '', ''];
  const after = { name: afterName, key: afterKey };
  const { rows, last, count } = await findHeldBack(db, rules, after, { seen: MOST_SEEN, found: limit });
  const end = rows.at(-1);
  const next = rows.length === limit ? end : count === MOST_SEEN ? last : null;
  const isOver = !next || (name !== null && next.name !== name);
  return { held: rows, nextCursor: isOver ? null : writeCursor(next.name, next.key) };
}

export interface CountersOfPerson {
  /** The account, if there is one. */
  readonly userId: string | null;
  readonly counters: readonly ReadCounter[];
}

/**
 * The counters of a person or client. Addresses are stored hashed, so they can be looked up and not listed.
 * @param text address, number, id of a user, name of an operator, or address of a client
 */
export async function findCountersOf(app: App, text: string): Promise<CountersOfPerson> {
  const rules = namedRules(app.config);
  const network = networkOf(text.trim());
  if (network !== null) {
    const places = rules.filter(({ counts }) => counts === 'client').map((rule) => ({ ...rule, key: network }));
    return { userId: null, counters: await readCounters(app.db, places) };
  }
  const person = await findPerson(app, text.trim());
  const keys = keysOf(app, person);
  const places = rules.flatMap((rule) => keysFor(rule, keys).map((key) => ({ ...rule, key })));
  return { userId: person.user?.id ?? null, counters: await readCounters(app.db, places) };
}

interface Person {
  readonly user: UserRow | null;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly operator: string;
}

async function findPerson({ config, db }: App, text: string): Promise<Person> {
  const id = readUuid(text);
  const email = spellEmail(text);
  const phone = /^\+?[\d ]+$/.test(text) ? stripPhone(text) : '';
  const wanted = { id, email: id === null ? email : null, phone: phone === '' ? null : phone };
  const [user = null] = await findUsersByContact(db, config.jwtAudience, wanted);
  const given = (list: readonly (string | null | undefined)[]) => [...new Set(list.filter((one) => !!one))] as string[];
  return {
    user,
    emails: given([id === null && email.includes('@') ? email : null, user?.email]),
    phones: given([phone, user?.phone]),
    operator: text.toLowerCase(),
  };
}

interface PersonKeys {
  readonly signIn: readonly string[];
  readonly accounts: readonly string[];
  readonly emails: readonly string[];
  readonly phones: readonly string[];
}

function keysOf(app: App, { user, emails, phones, operator }: Person): PersonKeys {
  const failures = [
    ...emails.map((email) => deriveFailureKey(app, 'email', email)),
    ...phones.map((phone) => deriveFailureKey(app, 'phone', phone)),
    failureKeyOf(operator),
  ];
  const factors = (user?.factors ?? []).map(({ id }) => `factor ${id}`);
  return {
    signIn: failures.filter((key) => key !== null),
    accounts: user === null ? [] : [user.id],
    emails,
    phones: [...phones, ...factors],
  };
}

function keysFor({ name, counts }: NamedRule, keys: PersonKeys): readonly string[] {
  if (counts === 'address') return keys.signIn;
  if (counts === 'account') return keys.accounts;
  if (name === 'notice') {
    return noticeKinds.flatMap((kind) => [...keys.emails, ...keys.phones].map((one) => recipientKey(kind, one)));
  }
  if (counts !== 'recipient') return [];
  const limit = name.replace('recipient.', '');
  return (limit === 'sms' ? keys.phones : keys.emails).map((one) => recipientKey(limit, one));
}

/**
 * The next request is granted as if it were the first one. Other processes notice within 5 s.
 * @throws ApiError limitNotFound
 */
export async function forgiveLimit(app: App, deed: OperatorDeed, place: CounterPlace): Promise<void> {
  const rule: CounterRuleOf | undefined = namedRules(app.config).find(({ name }) => name === place.name);
  if (rule === undefined) throw apiError('limitNotFound');
  const audit = [operatorEntry(deed, 'limit_forgiven', { limit: place.name, key: place.key, after: { count: 0 } })];
  if (!(await forgiveCounter(app.db, place, storedAudit(app, audit)))) throw apiError('limitNotFound');
  app.limits.forget(place.name, place.key);
  logAudit(app, deed.requestId, audit);
}
