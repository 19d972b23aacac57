/**
 * What survives the first proof of an address (docs/providers.md, "The first proof of an address"). Anybody can sign up,
 * or come from a provider, with an address that is not theirs; the person who then proves it must not share the account
 * with them. So a first proof takes off what was put on the account without one: password, sessions, identities,
 * metadata, other unproven addresses. Two things stay: what an operator set or imported, and everything where the
 * confirmation of the sign-up itself is the proof and no other sign-up has brought another password.
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
import type { Channel } from '../../db/users.js';

/**
 * - kept: the account stays as it is
 * - stripped: nothing of a stranger is left on it
 * - released: the account belongs to whoever proved its other address, and no longer has this one
 */
export type ProofEffect = 'kept' | 'stripped' | 'released';

/** @param isOwnConfirmation the proof is the answer to the sign-up that made the account */
export function decideProof(state: ProofState, isOwnConfirmation: boolean): ProofEffect {
  if (!state.is_unproven) return 'kept';
  const isOrdinarySignUp = isOwnConfirmation && !state.is_contested && !state.is_invited;
  if (state.is_proven_otherwise) return isOrdinarySignUp || state.is_operators_address ? 'kept' : 'released';
  return isOrdinarySignUp ? 'kept' : 'stripped';
}

/**
 * Applies a proof of an address that the account has. Runs in a transaction that has locked the account, before the
 * statement that confirms the address.
 * @returns undefined when the account is gone
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
 * Applies the proof of an address that the account is about to get (a change of email or phone). Whoever asked for the
 * change had a session of the account. Where that is the account's first proof it does not vouch for the address of the
 * other channel, which leaves the account; and on an account that sign-ups fight over nothing else is left either.
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
