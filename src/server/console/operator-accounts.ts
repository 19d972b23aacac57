/** Operators: create, list, change their role, reset and remove them. The console and `latchkey operators` call this. */
import { randomUUID } from 'node:crypto';
import {
  deleteOperator,
  insertOperator,
  insertSignInLink,
  lockOperators,
  type OperatorRow,
  readOperator,
  resetOperatorRow,
  setOperatorRole,
} from '../../db/operators.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { OperatorRole } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { consoleOriginOf } from './console-address.js';
import { newOperatorSecret } from './operator.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

type Parts = Pick<App, 'config' | 'db' | 'log' | 'countAuditEvent'>;

export const LINK_SECONDS = 900;
const NAME = /^[a-z0-9][a-z0-9._@+-]{1,63}$/;

/** Whether an operator may have the name, in any case. */
export const isOperatorName = (name: string): boolean => NAME.test(name.trim().toLowerCase());

/** An operator with the link that sets up the sign-in. */
export interface InvitedOperator {
  readonly operator: OperatorRow;
  /** Contains the secret after `#`, which browsers do not send. */
  readonly link: string;
}

/** Made before anything is written, since the address of the console may be missing. */
function newLink({ config }: Pick<App, 'config'>): { readonly link: string; readonly hash: string } {
  const { token, hash } = newOperatorSecret();
  return { link: `${consoleOriginOf(config)}/link#${token}`, hash };
}

/** @throws ApiError operatorNameInvalid, operatorNameTaken; ConfigError as {@link consoleOriginOf} */
export async function createOperator(
  app: Parts,
  deed: OperatorDeed,
  given: { readonly name: string; readonly role: OperatorRole },
): Promise<InvitedOperator> {
  const name = given.name.trim().toLowerCase();
  if (!isOperatorName(name)) throw apiError('operatorNameInvalid');
  const id = randomUUID();
  const { role } = given;
  const { link, hash } = newLink(app);
  const audit = [operatorEntry(deed, 'operator_created', { operator_id: id, after: { name, role } })];
  const new_ = { id, name, role, linkHash: hash, linkSeconds: LINK_SECONDS, audit: storedAudit(app, audit) };
  const operator = await insertOperator(app.db, new_);
  if (operator === undefined) throw apiError('operatorNameTaken');
  logAudit(app, deed.requestId, audit);
  return { operator, link };
}

/** @param wanted id or name. @throws ApiError operatorNotFound */
export async function findOperator(statements: Statements, wanted: string): Promise<OperatorRow> {
  const id = readUuid(wanted);
  const found = await readOperator(statements, { id, name: id === null ? wanted.trim().toLowerCase() : null });
  if (found === undefined) throw apiError('operatorNotFound');
  return found;
}

/**
 * Removes every way to sign in, and makes a link that sets up a new one.
 * @throws ApiError operatorNotFound; ConfigError as {@link consoleOriginOf}
 */
export async function resetOperator(app: Parts, deed: OperatorDeed, wanted: string): Promise<InvitedOperator> {
  const operator = await findOperator(app.db, wanted);
  const { link, hash } = newLink(app);
  const before = { has_password: operator.has_password, passkeys: operator.passkeys };
  const audit = [operatorEntry(deed, 'operator_reset', { operator_id: operator.id, name: operator.name, before })];
  const stored = { hash, seconds: LINK_SECONDS };
  if (!(await resetOperatorRow(app.db, operator.id, stored, storedAudit(app, audit))))
    throw apiError('operatorNotFound');
  logAudit(app, deed.requestId, audit);
  return { operator: { ...operator, has_password: false, passkeys: 0 }, link };
}

/** @throws ApiError operatorNotFound, operatorSelf, operatorLastOwner */
export async function changeOperatorRole(
  app: Parts,
  deed: OperatorDeed,
  wanted: string,
  role: OperatorRole,
): Promise<OperatorRow> {
  const changed = await changeLocked(app, deed, wanted, role !== 'owner', async (statements, operator) => {
    const traits = { operator_id: operator.id, before: { role: operator.role }, after: { role } };
    const audit = [operatorEntry(deed, 'operator_role_changed', { name: operator.name, ...traits })];
    const isDone = await setOperatorRole(statements, operator.id, role, storedAudit(app, audit));
    return isDone ? audit : null;
  });
  return { ...changed, role };
}

/** @throws ApiError operatorNotFound, operatorSelf, operatorLastOwner */
export async function removeOperator(app: Parts, deed: OperatorDeed, wanted: string): Promise<void> {
  await changeLocked(app, deed, wanted, true, async (statements, operator) => {
    const before = { name: operator.name, role: operator.role };
    const audit = [operatorEntry(deed, 'operator_removed', { operator_id: operator.id, before })];
    const isDone = await deleteOperator(statements, operator.id, storedAudit(app, audit));
    return isDone ? audit : null;
  });
}

/** @param change returns what was done; null: the operator is gone */
async function changeLocked(
  app: Parts,
  deed: OperatorDeed,
  wanted: string,
  takesOwner: boolean,
  change: (statements: Statements, operator: OperatorRow) => Promise<readonly AuditEntry[] | null>,
): Promise<OperatorRow> {
  const { operator, audit } = await app.db.transaction(async (statements) => {
    const all = await lockOperators(statements);
    const operator = await findOperator(statements, wanted);
    if (operator.id === deed.operator.id) throw apiError('operatorSelf');
    const owners = all.filter(({ role }) => role === 'owner');
    if (takesOwner && operator.role === 'owner' && owners.length < 2) throw apiError('operatorLastOwner');
    const audit = await change(statements, operator);
    if (audit === null) throw apiError('operatorNotFound');
    return { operator, audit };
  });
  logAudit(app, deed.requestId, audit);
  return operator;
}

/** A link for the development server, which signs in as its owner. */
export async function makeSignInLink(app: Pick<App, 'config' | 'db'>, name: string): Promise<string> {
  const { link, hash } = newLink(app);
  await insertSignInLink(app.db, name, hash, LINK_SECONDS);
  return link;
}
