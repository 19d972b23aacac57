/** What rules hand to the mail room, and what they store of it. */
import type { Metadata } from '../../db/users.js';

export type MailKind = 'confirmation' | 'invite' | 'recovery' | 'magic_link' | 'email_change' | 'reauthentication';

/** One mail to one person, before it is worded. */
export interface MailMessage {
  readonly kind: MailKind;
  /** The one recipient. */
  readonly to: string;
  /** Current address of the account; the variable Email. */
  readonly email: string;
  /** Of an email change: the address that is to come. */
  readonly newEmail: string | null;
  /** Numeric code; the variable Token. */
  readonly code: string;
  /** Token of the link, `pkce_` prefix included; the variable TokenHash. Null: this mail has no link. */
  readonly linkToken: string | null;
  /** The `type` parameter of the link: signup, invite, recovery, magiclink or email_change. */
  readonly linkType: string | null;
  /** Checked target of the link's redirect; the variable RedirectTo. */
  readonly redirectTo: string;
  /** user_metadata; the variable Data. */
  readonly data: Metadata;
}

/**
 * A mail as it waits in Postgres, written by the statement that writes its token. The message is sealed (AES-256-GCM
 * under a key derived from the server secret): the database holds no clear code or link (SEC-36).
 */
export interface OutboxEntry {
  /** Message-ID and row id at once, so that a mail is known by one name everywhere. UUIDv4. */
  readonly id: string;
  readonly kind: MailKind;
  /** Lower-case hex SHA-256 of the recipient: enough to find and replace, not enough to read. */
  readonly recipient_hash: string;
  readonly sealed: string;
}

/** The mail room as rules see it. */
export interface MailRoom {
  /** False while AUTH_SMTP_HOST is unset: nothing is stored, and a warning names the setting (decisions.md 28). */
  readonly isOn: boolean;
  /** Makes the rows to store; pure. Empty while the room is off. */
  seal(messages: readonly MailMessage[]): readonly OutboxEntry[];
  /** The link a mail of this kind would carry, for whoever sends it by other means. */
  linkOf(message: Pick<MailMessage, 'kind' | 'redirectTo'> & { linkToken: string; linkType: string }): string;
  /** Says that rows were committed: they are sent at once, by this thread, without anybody waiting for it. */
  nudge(): void;
  /** Sends what is due, then stops taking more. */
  close(timeoutSeconds: number): Promise<void>;
}
