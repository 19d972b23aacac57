/** What a row of the table of messages says of its kind. */
export interface MessageRow {
  /** The codes that the message may carry; the first is the usual one. An account has one of each kind (SEC-38). */
  readonly codes: readonly string[];
  /** Columns of `users` that receive the time of sending. */
  readonly stamps: readonly string[];
  readonly mail?: {
    /** In the documentation of the settings. */
    readonly inWords: string;
    /** Default of AUTH_MAILER_SUBJECTS_<kind>. The body is in `mail/bodies.ts`. */
    readonly subject: string;
    /** Values of `type` that redeem the code at /verify; the first is that of the link. None: no link. */
    readonly verifyTypes: readonly string[];
    /** The kind whose AUTH_MAILER_URLPATHS_<kind> is the path of the link. */
    readonly pathOf?: string;
    /** Title of the page behind the link, with AUTH_MAILER_CONFIRM_PAGE. */
    readonly pageTitle?: string;
    /** Send intervals by recipient: a request takes the first; a failed mail gives all of them back. */
    readonly limits: readonly string[];
    /** Send interval while AUTH_SMTP_MAX_FREQUENCY is unset (docs/decisions.md, Send intervals). */
    readonly intervalSeconds: number;
  };
  readonly text?: { readonly verifyTypes: readonly string[] };
  /** It tells of a change that has happened, and is sent only if its setting says so. Its kind ends in `_notification`. */
  readonly isNotice?: true;
  /** It is sent while another setting says so, and has no AUTH_MAILER_NOTIFICATIONS_<kind>_ENABLED. */
  readonly hasNoSwitch?: true;
}
