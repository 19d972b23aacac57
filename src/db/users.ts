/** Typed doors to sql/queries/users.sql. Rows keep the names of their columns. */
import type { FlowInput, MailInput, OneTimeTokenInput } from './one-time-tokens.js';
import type { Database, SqlValue, Statements } from './types.js';

export type Metadata = Readonly<Record<string, unknown>>;

export interface IdentityRow {
  id: string;
  user_id: string;
  provider_id: string;
  identity_data: Metadata | null;
  provider: string;
  last_sign_in_at: string | null;
  created_at: string;
  updated_at: string;
  email: string | null;
}

/** All of an account that may be shown, and nothing that may not. Timestamps are RFC 3339 strings. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  email_confirmed_at: string | null;
  invited_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  confirmation_sent_at: string | null;
  confirmed_at: string | null;
  recovery_sent_at: string | null;
  new_email: string | null;
  email_change_sent_at: string | null;
  new_phone: string | null;
  phone_change_sent_at: string | null;
  reauthentication_sent_at: string | null;
  last_sign_in_at: string | null;
  app_metadata: Metadata;
  user_metadata: Metadata;
  created_at: string;
  updated_at: string;
  banned_until: string | null;
  deleted_at: string | null;
  is_anonymous: boolean;
  is_sso_user: boolean;
  identities: IdentityRow[];
}

export interface AmrEntry {
  method: string;
  timestamp: number;
  provider?: string;
}

/** What an access token says of its session. */
export interface SessionFacts {
  readonly session_id: string;
  readonly aal: string;
  readonly amr: readonly AmrEntry[];
}

/** A session as tokens need it. */
export interface SessionColumns extends SessionFacts {
  readonly generation: number;
}

export type SignedInRow = UserRow & SessionColumns;

/** What the password grant reads before it hashes. */
export interface SignInCandidate {
  id: string;
  email: string | null;
  phone: string | null;
  password_hash: string | null;
  full_name: string | null;
  is_banned: boolean;
  is_confirmed: boolean;
}

/** Who holds an address somebody signs up with. */
export interface AddressHolder {
  id: string;
  email: string | null;
  phone: string | null;
  password_hash: string | null;
  is_anonymous: boolean;
  invited_at: string | null;
  is_confirmed: boolean;
  is_banned: boolean;
  user_metadata: Metadata;
  new_email: string | null;
  new_phone: string | null;
}

export type Channel = 'email' | 'phone';

const first = <Row>(rows: Row[]): Row | undefined => rows[0];

/** How statements return an account: its whole row as JSON, its identities, and whatever else stands beside them. */
export interface UserResult {
  user: UserRow & { password_hash?: unknown };
  identities: IdentityRow[] | null;
}

/**
 * Reads the accounts a statement returned. One JSON column is as quick as 25 of their own, needs no list of columns in
 * every statement, and lets a column be added under a running server. The hash it carries ends here.
 */
export async function runForUser<Row extends UserRow>(
  db: Statements,
  name: string,
  values: readonly SqlValue[],
): Promise<Row | undefined> {
  const [row] = await db.run<UserResult>(name, values);
  if (row === undefined) return undefined;
  const { user, identities, ...rest } = row;
  return Object.assign(readUser(user, identities), rest) as unknown as Row;
}

export function readUser(user: UserResult['user'], identities: UserResult['identities']): UserRow {
  user.password_hash = undefined;
  user.identities = identities ?? [];
  return user;
}

/**
 * @param failureKey who failed sign-ins are counted for; null: nobody
 * @returns the account, if there is one, and the seconds until anybody may try that address again
 */
export async function findSignInCandidate(
  db: Database,
  channel: Channel,
  address: string,
  audience: string,
  failureKey: string | null,
): Promise<{ user: SignInCandidate | undefined; waitSeconds: number }> {
  type Row = (SignInCandidate | { id: null }) & { wait_seconds: number };
  const [row] = await db.run<Row>(`users.user_for_sign_in_by_${channel}`, [address, audience, failureKey]);
  return { user: row!.id === null ? undefined : row, waitSeconds: row!.wait_seconds };
}

export async function findAddressHolder(
  db: Database,
  channel: Channel,
  address: string,
  audience: string,
): Promise<AddressHolder | undefined> {
  return first(await db.run<AddressHolder>(`users.user_by_${channel}`, [address, audience]));
}

/** Whether an account of any audience has an address that nobody has proven. */
export async function isHeldUnproven(db: Database, channel: Channel, address: string): Promise<boolean> {
  return (await db.run(`users.unproven_by_${channel}`, [address])).length > 0;
}

export interface SignUpInput {
  userId: string;
  audience: string;
  role: string;
  email: string | null;
  phone: string | null;
  passwordHash: string | null;
  isConfirmed: boolean;
  appMetadata: Metadata;
  userMetadata: Metadata;
  isAnonymous: boolean;
  identityProvider: Channel | null;
  identityData: Metadata;
  oneTimeTokens: readonly OneTimeTokenInput[];
  /** Method of the session that is opened at once; null opens none. */
  sessionMethod: string | null;
  userAgent: string | null;
  ip: string | null;
  audit: readonly object[];
  mails: readonly MailInput[];
  flow: FlowInput | null;
  isInvited: boolean;
  /** What of it an operator set; null: it is somebody's own sign-up. */
  operatorSet?: readonly ('password' | 'email')[] | null;
}

/** @returns the account, with its session when one was opened; undefined when somebody holds the address already */
export async function insertUser(
  db: Database,
  input: SignUpInput,
): Promise<(UserRow & Partial<SessionColumns>) | undefined> {
  return runForUser<UserRow & Partial<SessionColumns>>(db, 'users.sign_up', [
    input.userId,
    input.audience,
    input.role,
    input.email,
    input.phone,
    input.passwordHash,
    input.isConfirmed,
    JSON.stringify(input.appMetadata),
    JSON.stringify(input.userMetadata),
    input.isAnonymous,
    input.identityProvider,
    JSON.stringify(input.identityData),
    JSON.stringify(input.oneTimeTokens),
    input.sessionMethod,
    input.userAgent,
    input.ip,
    JSON.stringify(input.audit),
    JSON.stringify(input.mails),
    JSON.stringify(input.flow === null ? [] : [input.flow]),
    input.isInvited,
    input.operatorSet ?? null,
  ]);
}

export interface UserChanges {
  passwordHash: string | null;
  keepSessionId: string | null;
  userMetadata: MetadataChange | null;
  appMetadata: MetadataChange | null;
  email: string | null;
  phone: string | null;
  pendingEmail: string | null;
  pendingPhone: string | null;
  oneTimeTokens: readonly OneTimeTokenInput[];
  /** Identities of the addresses that take effect at once. */
  identities: readonly { provider: Channel; identity_data: Metadata }[];
  audit: readonly object[];
  mails: readonly MailInput[];
  flow: FlowInput | null;
}

/** A top-level merge: keys that get a value, keys that go. */
export interface MetadataChange {
  set: Metadata;
  drop: readonly string[];
}

export async function updateUser(db: Statements, userId: string, changes: UserChanges): Promise<UserRow | undefined> {
  const mergeValues = (change: MetadataChange | null) =>
    change === null ? ([null, null] as const) : ([JSON.stringify(change.set), change.drop] as const);
  return runForUser<UserRow>(db, 'users.update_user', [
    userId,
    changes.passwordHash,
    changes.keepSessionId,
    ...mergeValues(changes.userMetadata),
    ...mergeValues(changes.appMetadata),
    changes.email,
    changes.phone,
    changes.pendingEmail,
    changes.pendingPhone,
    JSON.stringify(changes.oneTimeTokens),
    JSON.stringify(changes.identities),
    JSON.stringify(changes.audit),
    JSON.stringify(changes.mails),
    JSON.stringify(changes.flow === null ? [] : [changes.flow]),
  ]);
}

export async function readPasswordHash(db: Database, userId: string): Promise<string | null> {
  return first(await db.run<{ password_hash: string | null }>('users.password_hash', [userId]))?.password_hash ?? null;
}

export interface AddressHolders {
  email_taken: boolean;
  phone_taken: boolean;
}

export async function findAddressHolders(
  db: Database,
  userId: string,
  email: string | null,
  phone: string | null,
): Promise<AddressHolders> {
  return (await db.run<AddressHolders>('users.address_holders', [userId, email, phone]))[0]!;
}
