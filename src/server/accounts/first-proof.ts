/**
 * What remains of an account after the first proof of its address (docs/decisions.md, First proof of an address).
 * Anyone can sign up with an address of another person. Therefore the first proof removes what was added without proof:
 * password, sessions, identities, metadata, other unproven addresses. What an administrator set or imported remains.
 * Everything remains if the proof confirms the sign-up itself and no other sign-up used another password.
 */
import {
  dropOtherAddress,
  type Proof,
  type ProofState,
  readProofState,
  releaseAddress,
  stripAccount,
} from '../../db/first-proof.js';
import type { Statements } from '../../db/types.js';
import type { Channel } from '../../db/user-rows.js';

/**
 * - kept: the account is unchanged
 * - stripped: everything added without proof was removed
 * - released: the account has another, proven address, and lost this one
 */
type ProofEffect = 'kept' | 'stripped' | 'released';

/** @param isOwnConfirmation the proof confirms the sign-up that created the account */
function decideProof(state: ProofState, isOwnConfirmation: boolean): ProofEffect {
  if (!state.is_unproven) return 'kept';
  const isOrdinarySignUp = isOwnConfirmation && !state.is_contested && !state.is_invited;
  if (state.is_proven_otherwise) return isOrdinarySignUp || state.is_operators_address ? 'kept' : 'released';
  return isOrdinarySignUp ? 'kept' : 'stripped';
}

/**
 * Applies a proof of an address of the account, in a transaction that has locked the account, before the statement that
 * confirms the address.
 * @returns undefined when the account does not exist
 */
export async function proveAddress(
  statements: Statements,
  userId: string,
  channel: Channel,
  proof: Proof & { readonly isOwnConfirmation: boolean },
): Promise<ProofEffect | undefined> {
  const state = await readProofState(statements, userId, channel);
  if (state === undefined) return undefined;
  const effect = decideProof(state, proof.isOwnConfirmation);
  if (effect === 'stripped') await stripAccount(statements, userId, channel, proof);
  if (effect === 'released') await releaseAddress(statements, userId, channel, state.address!, proof.tokenId);
  return effect;
}

/**
 * Applies the proof of a new address (a change of email or phone), which was requested in a session of the account. If
 * it is the first proof of the account, the unproven address of the other channel is removed, and of a contested
 * account everything that was added without proof.
 */
export async function proveNewAddress(
  statements: Statements,
  userId: string,
  channel: Channel,
  proof: Proof,
): Promise<void> {
  const state = await readProofState(statements, userId, channel);
  if (state === undefined || !state.is_unproven || state.is_proven_otherwise) return;
  if (state.is_contested) await stripAccount(statements, userId, channel, proof);
  else await dropOtherAddress(statements, userId, channel);
}
