/** The statements of sql/queries/first-proof.sql. Call them with the account locked. */
import type { Statements } from './types.js';
import type { Channel } from './user-rows.js';

/** State of an account whose address is about to be proven. */
export interface ProofState {
  /** The channel's address; null: the account has none. */
  address: string | null;
  /** By a proof or by autoconfirm. */
  is_confirmed: boolean;
  /** The channel's address has never been proven. */
  is_unproven: boolean;
  /** The address is unproven by its owner, but an operator vouched for it. */
  is_vouched: boolean;
  /** The other channel's address is proven, or an operator vouched for it. */
  is_proven_otherwise: boolean;
  is_invited: boolean;
  /** Sign-ups for the address had different passwords. */
  is_contested: boolean;
  /** An operator set the address. */
  is_operators_address: boolean;
}

/** What proves an address. It is kept when unproven data is removed. */
export interface Proof {
  readonly tokenId: string | null;
  readonly flowId: string | null;
  /** Audience of the request when it may differ from the account's; null: the account's. */
  readonly audience: string | null;
  /** Identity at a provider. */
  readonly identity: { readonly provider: string; readonly subject: string } | null;
}

/** @returns undefined when the account is gone */
export async function readProofState(
  statements: Statements,
  userId: string,
  channel: Channel,
): Promise<ProofState | undefined> {
  return (await statements.run<ProofState>('first-proof.state', [userId, channel]))[0];
}

/** What a first proof has removed. */
export interface Stripped {
  /** Autoconfirm had confirmed the address. */
  was_confirmed: boolean;
  password: boolean;
  other_address: boolean;
  sessions: number;
  passkeys: number;
  /** Without that of the address itself. */
  identities: number;
}

/** Removes everything from an account that was added without a proof. */
export async function stripAccount(
  statements: Statements,
  userId: string,
  channel: Channel,
  { tokenId, flowId, identity, audience }: Proof,
): Promise<Stripped> {
  const values = [userId, channel, tokenId, flowId, identity?.provider ?? null, identity?.subject ?? null, audience];
  return (await statements.run<Stripped>('first-proof.strip', values))[0]!;
}

/** Removes an unproven address from an account that is proven by the other channel. */
export async function releaseAddress(
  statements: Statements,
  userId: string,
  channel: Channel,
  address: string,
  tokenId: string | null,
): Promise<void> {
  await statements.run('first-proof.release', [userId, channel, address, tokenId]);
}

/** Removes the other channel's address from an account unless it is confirmed. */
export async function dropOtherAddress(statements: Statements, userId: string, channel: Channel): Promise<void> {
  await statements.run('first-proof.drop_other_address', [userId, channel]);
}
