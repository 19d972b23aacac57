/** Typed doors to sql/queries/first-proof.sql; each in a transaction that has locked the account. */
import type { Statements } from './types.js';
import type { Channel } from './users.js';

/** What is known of an account when an address of it is being proven. */
export interface ProofState {
  /** Of the channel; null: the account has none yet. */
  address: string | null;
  /** Nobody has proven the channel's address before. */
  is_unproven: boolean;
  /** The address of the other channel is proven. */
  is_proven_otherwise: boolean;
  is_invited: boolean;
  /** Sign-ups for the address did not agree on the password. */
  is_contested: boolean;
  /** An operator put the address on the account. */
  is_operators_address: boolean;
}

/** What proves an address, and outlives what the proof ends. */
export interface Proof {
  readonly tokenId: string | null;
  readonly flowId: string | null;
  /** Of the request, where another one than that of the account may have asked; null: the account's own. */
  readonly audience: string | null;
  /** At a provider. */
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

/** Takes everything off an account that was put on it without a proof. */
export async function stripAccount(
  statements: Statements,
  userId: string,
  channel: Channel,
  { tokenId, flowId, identity, audience }: Proof,
): Promise<void> {
  const values = [userId, channel, tokenId, flowId, identity?.provider ?? null, identity?.subject ?? null, audience];
  await statements.run('first-proof.strip', values);
}

/** Takes an unproven address off an account that is proven by the other channel. */
export async function releaseAddress(
  statements: Statements,
  userId: string,
  channel: Channel,
  address: string,
  tokenId: string | null,
): Promise<void> {
  await statements.run('first-proof.release', [userId, channel, address, tokenId]);
}

/** Takes the other channel's address off an account, where nobody has proven it. */
export async function dropOtherAddress(statements: Statements, userId: string, channel: Channel): Promise<void> {
  await statements.run('first-proof.drop_other_address', [userId, channel]);
}
