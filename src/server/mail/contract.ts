/** What the domain passes to the mailer, and what it stores of it. */
import type { Metadata } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import type { MailKind } from '../message-kinds.js';
import type { OutboxStats } from '../outbox/contract.js';

/** One mail to one recipient, before it is composed. */
export interface MailMessage {
  readonly kind: MailKind;
  readonly to: string;
  /** The account's current address; the variable Email. */
  readonly email: string;
  /** Of an email change: the new address. */
  readonly newEmail: string | null;
  /** Numeric code; the variable Token. */
  readonly code: string;
  /** Token of the link, with its `pkce_` prefix; the variable TokenHash. Null: the mail has no link. */
  readonly linkToken: string | null;
  /** The `type` parameter of the link. */
  readonly linkType: string | null;
  /** The permitted redirect target of the link; the variable RedirectTo. */
  readonly redirectTo: string;
  /** Of the request; for a hook. */
  readonly ip?: string | null;
  /** user_metadata; the variable Data. */
  readonly data: Metadata;
  /** For a hook: the other side of an email change. */
  readonly other?: MailMessage;
  /** Of a notice: the change. */
  readonly notice?: NoticeFacts;
  /** Of an invitation to an organization. */
  readonly organization?: InvitingOrganization;
}

/** What an invitation says of the organization. Users choose the names: they are text, never markup. */
export interface InvitingOrganization {
  readonly id: string;
  readonly name: string;
  /** Address of the inviter, or else the name; empty: not told. */
  readonly inviter: string;
  readonly roles: readonly string[];
}

/** What a notice tells of a change. Null: it does not apply. */
export interface NoticeFacts {
  readonly oldEmail: string | null;
  readonly phone: string | null;
  readonly oldPhone: string | null;
  readonly provider: string | null;
  readonly factorType: string | null;
  /** Recovery codes that are left. Undefined in notices that an earlier release stored. */
  readonly remainingCodes?: number | null;
  /** Passkeys that were removed together with the second factors. */
  readonly removedPasskeys?: number | null;
  /** Name of an organization, and a domain of it. */
  readonly organization?: string | null;
  readonly domain?: string | null;
  /** Of the browser that made the change; null for an administrator's. */
  readonly ip: string | null;
  /** Browser and system only, such as `Firefox on Windows`. */
  readonly device: string | null;
  /** RFC 3339, seconds, UTC. */
  readonly time: string;
  readonly changedByAdmin: boolean;
}

/**
 * A row of the outbox, written by the statement that writes the code. The message is encrypted (AES-256-GCM under a key
 * derived from the server secret), so the database holds no readable code or link (SEC-36).
 */
export interface OutboxEntry {
  /** Row id and Message-ID. UUIDv4. */
  readonly id: string;
  readonly kind: MailKind;
  /** Lower-case hex SHA-256 of the recipient, to find an older mail to the same address. */
  readonly recipient_hash: string;
  readonly sealed: string;
}

/** A mail whose first attempt failed; reported once for each mail. */
export interface MailFailed {
  readonly kind: MailKind;
  readonly to: string;
  /** The account's current address, the key of its send interval. */
  readonly email: string;
  /** The outbox tries again. */
  readonly isRetried: boolean;
}

/** A composed mail that is not sent. */
export interface MailPreview {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Why a part of the operator's template is not used. */
  readonly problems: readonly string[];
}

export interface Mailer {
  /** False without AUTH_SMTP_HOST and the hook send_email: nothing is stored, and a warning names the setting. */
  readonly isOn: boolean;
  /**
   * Sends mails during the request, before their codes are stored; absent unless the hook send_email does so.
   * @param user the user object
   * @returns false: it failed, and the mails are to be stored
   * @throws ApiError of the hook
   */
  readonly sendNow?:
    | ((messages: readonly MailMessage[], user: Record<string, unknown>) => Promise<boolean>)
    | undefined;
  /**
   * Whether an address passes the checks of AUTH_MAILER_EMAIL_VALIDATION_…; at most 3 s, and true in doubt. Never throws.
   */
  accepts(email: string): Promise<boolean>;
  /** Makes the rows to store; empty while mail is off. */
  seal(messages: readonly MailMessage[]): readonly OutboxEntry[];
  /** The link that a mail of this kind would contain, for callers that deliver it themselves. */
  linkOf(message: Pick<MailMessage, 'kind' | 'redirectTo'> & { linkToken: string; linkType: string }): string;
  /** Composes a mail as it would be sent. @param draft in place of the configuration in use */
  preview(message: MailMessage, draft?: Config): Promise<MailPreview>;
  /** @returns the recipient of a stored row; null when no accepted key opens it */
  recipientOf(id: string, sealed: string): string | null;
  /** Starts to send committed rows in the background, mails and texts. */
  nudge(): void;
  stats(): OutboxStats;
  /** Sends what is due, then stops. */
  close(timeoutSeconds: number): Promise<void>;
  /** Finishes the mails being sent; a mailer with other settings sends the rest. */
  retire(): Promise<void>;
}
