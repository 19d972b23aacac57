/** What `latchkey init` is told, checked by the rules of the settings that follow from it. */

/** Who starts the server, and keeps it running. */
export const launchers = ['compose', 'systemd'] as const;

export interface Answers {
  readonly launcher: (typeof launchers)[number];
  /** AUTH_SITE_URL. */
  readonly siteUrl: string;
  /** Host name of the server, without a scheme. */
  readonly domain: string;
  /** Null: the compose file brings a Postgres. */
  readonly databaseUrl: string | null;
  /** Null: no mail is sent. */
  readonly mail: MailAnswers | null;
  readonly providers: readonly ProviderAnswers[];
  /** Name on the hosted pages; null: there are none. */
  readonly pagesName: string | null;
  /** Name of the first operator of the console; null: there is no console. */
  readonly operator: string | null;
}

export interface MailAnswers {
  readonly host: string;
  readonly port: string;
  /** Empty: the mail server asks for none. */
  readonly user: string;
  readonly password: string;
  readonly from: string;
}

export interface ProviderAnswers {
  /** As in AUTH_EXTERNAL_<NAME>, in lower case. */
  readonly name: string;
  /** Variable without `AUTH_EXTERNAL_<NAME>_` → its text. */
  readonly fields: Readonly<Record<string, string>>;
}
