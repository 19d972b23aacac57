/**
 * What remains of an account after the first proof of its address (docs/decisions.md, First proof of an address).
 * Anyone can sign up with an address of another person. Therefore the first proof removes what was added without proof:
 * password, sessions, identities, passkeys, other unproven addresses. What an administrator set or imported remains, and
 * so do verified second factors. Everything remains if the proof confirms the sign-up itself and no other sign-up used
 * another password.
 */
import { appendAudit } from '../../db/audit.js';
import {
  dropOtherAddress,
  type Proof,
  type ProofState,
  readProofState,
  releaseAddress,
  type Stripped,
  stripAccount,
} from '../../db/first-proof.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import type { Statements } from '../../db/types.js';
import type { Channel, Metadata } from '../../db/user-rows.js';
import { firstProof } from '../notices/changes.js';
import { prepareNotices } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { type Actor, type AuditEntry, auditEntry, logAudit } from './audit.js';

/**
 * - kept: the account is unchanged
 * - stripped: everything added without proof was removed
 * - released: the account has another, proven address, and lost this one
 */
type ProofEffect = 'kept' | 'stripped' | 'released';

/** Tells of what a first proof removes, in its transaction. */
export interface ProofReport {
  readonly actor: Omit<Actor, 'id'>;
  readonly mails: readonly MailInput[];
  readonly storesAudit: boolean;
  /** Null: nothing was removed. */
  entry: AuditEntry | null;
}

/**
 * Prepares what is reported if the proof of an address removes something. Call it before the transaction.
 * @param address that is proven, and gets the notice
 */
export async function prepareReport(
  app: App,
  client: Client,
  channel: Channel,
  { address, data }: { readonly address: string; readonly data: Metadata },
): Promise<ProofReport> {
  const [email, phone] = channel === 'email' ? [address, null] : [null, address];
  const mails = await prepareNotices(app, client, [firstProof({ email, phone, data })]);
  return { actor: { email, phone }, mails, storesAudit: !app.config.auditLogDisablePostgres, entry: null };
}

/** Completes a report once the transaction is committed. */
export function completeReport(app: App, { requestId }: Client, report: ProofReport | null): void {
  if (!report?.entry) return;
  logAudit(app, requestId, [report.entry]);
  if (report.mails.length > 0) app.mail.nudge();
}

/** @param isOwnConfirmation the proof confirms the sign-up that created the account */
function decideProof(state: ProofState, isOwnConfirmation: boolean): ProofEffect {
  if (!state.is_unproven) return 'kept';
  // A sign-up that autoconfirm has confirmed has no confirmation of its own: a text that signs in has the same kind.
  const isOwn = isOwnConfirmation && !state.is_confirmed;
  const isOrdinarySignUp = isOwn && !state.is_contested && !state.is_invited;
  // The operator knows whose address it is, but not who added the rest.
  if (state.is_vouched) return 'stripped';
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
  report: ProofReport | null,
): Promise<ProofEffect | undefined> {
  const state = await readProofState(statements, userId, channel);
  // A rehearsal may have written it.
  if (report !== null) report.entry = null;
  if (state === undefined) return undefined;
  const effect = decideProof(state, proof.isOwnConfirmation);
  if (effect === 'stripped') {
    const removed = await stripAccount(statements, userId, channel, proof);
    if (report !== null && isWorthTelling(removed)) await writeReport(statements, userId, channel, removed, report);
  }
  if (effect === 'released') await releaseAddress(statements, userId, channel, state.address!, proof.tokenId);
  return effect;
}

/** The password of a sign-up that was never confirmed has opened nothing. */
const isWorthTelling = ({ was_confirmed, password, sessions, passkeys, identities }: Stripped): boolean =>
  sessions + passkeys + identities > 0 || (was_confirmed && password);

async function writeReport(
  statements: Statements,
  userId: string,
  channel: Channel,
  { was_confirmed: _, ...removed }: Stripped,
  report: ProofReport,
): Promise<void> {
  report.entry = auditEntry({ id: userId, ...report.actor }, 'earlier_access_removed', { channel, ...removed });
  if (report.storesAudit) await appendAudit(statements, [report.entry]);
  await insertMails(statements, userId, report.mails);
}

/**
 * Applies the proof of a new address (a change of email or phone), which was requested in a session of the account. If
 * it is the first proof of the account, the unconfirmed address of the other channel is removed, and of a contested
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
