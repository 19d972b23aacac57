/** Rows of accounts, and how statements return them. Rows keep the names of their columns. */
import type { SqlValue, Statements } from './types.js';

export type Channel = 'email' | 'phone';

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

export type FactorKind = 'totp' | 'phone' | 'webauthn' | 'recovery_code';
export type FactorStatus = 'unverified' | 'verified';

/** A second factor as the row of its account lists it. */
export interface FactorSummary {
  readonly id: string;
  readonly kind: FactorKind;
  readonly status: FactorStatus;
  readonly friendly_name: string;
  readonly phone: string | null;
  /** Model of the authenticator, of webauthn. */
  readonly aaguid: string | null;
  readonly last_challenged_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A membership of an organization as the row of its account lists it. */
export interface Membership {
  /** Of the organization. */
  readonly id: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

/** What an organization demands of the sessions that act for it, and which addresses may join. */
export interface OrganizationPolicies {
  readonly require_aal2: boolean;
  readonly require_sso: boolean;
  /** How long after its sign-in a session may act for it; null: as long as the session lasts. */
  readonly session_hours: number | null;
  /** Lower case; empty: all. */
  readonly allowed_domains: readonly string[];
}

/** The same with what they depend on. */
export interface PoliciesInForce extends OrganizationPolicies {
  /** With require_sso: ids of the identity providers of the organization. */
  readonly identity_providers?: readonly string[];
}

/** The organization that a session acts for. */
export interface ActiveOrganization extends Membership {
  readonly slug: string;
  /** Changes with the row of the organization. */
  readonly version: string;
  /** Null: it demands nothing. */
  readonly policies: PoliciesInForce | null;
}

/** How many memberships the row of an account lists (00058_organizations). */
export const MAX_LISTED_MEMBERSHIPS = 50;

/** The columns of an account that may leave the server. Timestamps are RFC 3339 strings. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  email_confirmed_at: string | null;
  /** The address that was proven last, which may be another than `email` by now ({@link isEmailProven}). */
  proven_email: string | null;
  /** The address that an administrator confirmed, whose owner has proven nothing yet. */
  vouched_email: string | null;
  invited_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  proven_phone: string | null;
  vouched_phone: string | null;
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
  /** Oldest first; null or absent: none. */
  factors?: readonly FactorSummary[] | null;
  /** The newest ones, 50 at most, newest first; null or absent: none. */
  memberships?: readonly Membership[] | null;
  identities: IdentityRow[];
}

/**
 * Whether the email was proven by a link, a code, a provider, an operator or an import. Autoconfirm confirms and proves
 * nothing (docs/decisions.md, Proven and confirmed).
 */
export const isEmailProven = (user: Pick<UserRow, 'email' | 'proven_email' | 'vouched_email'>): boolean =>
  user.email !== null && (user.email === user.proven_email || user.email === user.vouched_email);

export const isPhoneProven = (user: Pick<UserRow, 'phone' | 'proven_phone' | 'vouched_phone'>): boolean =>
  user.phone !== null && (user.phone === user.proven_phone || user.phone === user.vouched_phone);

export interface AmrEntry {
  method: string;
  timestamp: number;
  provider?: string;
}

/** Claims of the access tokens of an OAuth client. */
export interface ClientClaims {
  readonly client_id: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The resources that the client asked for (RFC 8707); absent: the audience of the user. */
  readonly aud?: string | readonly string[];
  /** Thumbprint of the key that the token is bound to (RFC 9449 6); of a session: that its refresh token is bound to. */
  readonly jkt?: string;
}

/** A session's claims in an access token. */
export interface SessionFacts {
  readonly session_id: string;
  readonly aal: string;
  readonly amr: readonly AmrEntry[];
  /** Null or absent: the session is the user's own. */
  readonly client?: ClientClaims | null;
  /** An operator who acts for the user (RFC 8693, 4.1). */
  readonly act?: { readonly sub: string } | null;
  /** Null or absent: none. */
  readonly organization?: ActiveOrganization | null;
}

/** The columns of a session that tokens need. */
export interface SessionColumns extends SessionFacts {
  readonly generation: number;
}

export interface SignedInRow extends UserRow, SessionColumns {
  /** The active organization of the session of the hosted pages from which this one was opened; null: it had none. */
  readonly source_organization_id?: string | null;
}

/** A top-level merge: keys to set, and keys to remove. */
export interface MetadataChange {
  set: Metadata;
  drop: readonly string[];
}

/** The two parameters of a merge; null changes nothing. */
export const mergeValues = (change: MetadataChange | null) =>
  change === null ? ([null, null] as const) : ([JSON.stringify(change.set), change.drop] as const);

/** How statements return an account: its whole row as JSON and its identities, next to other columns. */
export interface UserResult {
  user: UserRow & { password_hash?: unknown };
  identities: IdentityRow[] | null;
}

/**
 * Runs a statement that returns an account. One JSON column is as fast as 25 columns, needs no list of columns in every
 * statement, and permits new columns while the server runs. The password hash is removed here.
 */
export async function runForUser<Row extends UserRow>(
  db: Statements,
  name: string,
  values: readonly SqlValue[],
): Promise<Row | undefined> {
  const [row] = await db.run<UserResult>(name, values);
  if (row === undefined) return undefined;
  const { user, identities, ...rest } = row;
  return Object.assign(toUserRow(user, identities), rest) as unknown as Row;
}

export function toUserRow(user: UserResult['user'], identities: UserResult['identities']): UserRow {
  user.password_hash = undefined;
  user.identities = identities ?? [];
  return user;
}
