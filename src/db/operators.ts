/** The statements of sql/queries/operators.sql that change operators. Those of their sessions are in operator-sessions.ts. */
import type { Database, Statements } from './types.js';

export interface OperatorRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly has_password: boolean;
  /** How many. */
  readonly passkeys: number;
}

export interface NewOperator {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly linkHash: string;
  readonly linkSeconds: number;
  readonly audit: readonly object[];
}

/** @returns undefined when the name is taken */
export async function insertOperator(db: Database, operator: NewOperator): Promise<OperatorRow | undefined> {
  const { id, name, role, linkHash, linkSeconds, audit } = operator;
  const values = [id, name, role, linkHash, linkSeconds, JSON.stringify(audit)];
  return (await db.run<OperatorRow>('operators.create', values))[0];
}

export const readOperators = (db: Database): Promise<readonly OperatorRow[]> =>
  db.run<OperatorRow>('operators.list', []);

/** By id or by name; null: not by that. */
export async function readOperator(
  statements: Statements,
  { id, name }: { readonly id: string | null; readonly name: string | null },
): Promise<OperatorRow | undefined> {
  return (await statements.run<OperatorRow>('operators.find', [id, name]))[0];
}

/** Locks all operators, so that two changes cannot both leave the last owner to the other. */
export const lockOperators = (statements: Statements): Promise<readonly { id: string; role: string }[]> =>
  statements.run('operators.lock_all', []);

/** @returns false when there is no such operator */
export async function deleteOperator(statements: Statements, id: string, audit: readonly object[]): Promise<boolean> {
  return (await statements.run('operators.remove', [id, JSON.stringify(audit)])).length === 1;
}

/** @returns false when there is no such operator */
export async function setOperatorRole(
  statements: Statements,
  id: string,
  role: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('operators.set_role', [id, role, JSON.stringify(audit)])).length === 1;
}

/** @returns false when there is no such operator */
export async function resetOperatorRow(
  db: Database,
  id: string,
  link: { readonly hash: string; readonly seconds: number },
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('operators.reset', [id, link.hash, link.seconds, JSON.stringify(audit)])).length === 1;
}

/** A link that signs in as the operator of this name, who is made an owner if there is none. */
export async function insertSignInLink(db: Database, name: string, linkHash: string, seconds: number): Promise<void> {
  await db.run('operators.add_sign_in_link', [name, linkHash, seconds]);
}

export interface OperatorPasskeyRow {
  readonly id: string;
  readonly friendly_name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly credential_id: Buffer;
}

export const readOperatorPasskeys = (db: Database, operatorId: string): Promise<readonly OperatorPasskeyRow[]> =>
  db.run<OperatorPasskeyRow>('operators.passkeys', [operatorId]);

/** A passkey as it is stored. */
export interface NewOperatorPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly backupEligible: boolean;
  readonly friendlyName: string;
}

/** The values of a passkey in the order of the statements. */
export const passkeyValues = (passkey: NewOperatorPasskey) => [
  Buffer.from(passkey.credentialId, 'base64url'),
  Buffer.from(passkey.publicKey, 'base64url'),
  passkey.signCount,
  JSON.stringify(passkey.transports),
  passkey.backupEligible,
  passkey.friendlyName,
];

/** @returns undefined when the operator is gone, or the credential is registered already */
export async function insertOperatorPasskey(
  db: Database,
  operatorId: string,
  passkey: NewOperatorPasskey,
  audit: readonly object[],
): Promise<OperatorPasskeyRow | undefined> {
  const values = [operatorId, ...passkeyValues(passkey), JSON.stringify(audit)];
  return (await db.run<OperatorPasskeyRow>('operators.add_passkey', values))[0];
}

/** @returns false when there is no such passkey, or it is the last way to sign in */
export async function deleteOperatorPasskey(
  db: Database,
  operatorId: string,
  passkeyId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('operators.remove_passkey', [operatorId, passkeyId, JSON.stringify(audit)])).length === 1;
}
