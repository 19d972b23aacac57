/** Codes, mails and flows as statements store them. */

/** A code or link that goes out, as it is stored: hashes only. */
export interface OneTimeTokenInput {
  kind: string;
  recipient: string;
  link_hash: string | null;
  code_hash: string;
  flow_state_id: string | null;
  /** The one session the code serves, for reauthentication. */
  session_id: string | null;
}

/** A mail or text as it waits in the outbox. */
export interface MailInput {
  id: string;
  /** That of a text begins with `text:`. */
  kind: string;
  recipient_hash: string;
  sealed: string;
}

/** A PKCE flow that begins with a mail (RFC 7636 4.3). */
export interface FlowInput {
  id: string;
  authentication_method: string;
  code_challenge: string;
  code_challenge_method: string;
}
