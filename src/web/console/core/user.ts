/** Users as the API shows them. */
export interface Identity {
  readonly identity_id: string;
  readonly id: string;
  readonly provider: string;
  readonly email?: string;
  readonly identity_data?: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly last_sign_in_at?: string;
}

export interface Factor {
  readonly id: string;
  readonly status: string;
  readonly friendly_name?: string;
  readonly factor_type: string;
  readonly created_at: string;
  readonly last_challenged_at: string | null;
}

export type UserMetadata = Readonly<Record<string, unknown>>;

export interface User {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  readonly email_confirmed_at?: string;
  readonly phone_confirmed_at?: string;
  readonly confirmed_at?: string;
  readonly invited_at?: string;
  readonly new_email?: string;
  readonly new_phone?: string;
  readonly last_sign_in_at?: string;
  readonly banned_until?: string;
  readonly deleted_at?: string;
  readonly is_anonymous: boolean;
  readonly app_metadata: UserMetadata;
  readonly user_metadata: UserMetadata;
  readonly factors?: readonly Factor[];
  readonly identities: readonly Identity[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** How an account is called, and what has to be typed to delete it. */
export const nameOfUser = ({ email, phone, id }: Pick<User, 'email' | 'phone' | 'id'>): string => email || phone || id;

/** The same for people: numbers with their plus. */
export const labelOfUser = (user: Pick<User, 'email' | 'phone' | 'id'>): string =>
  user.email === '' && user.phone !== '' ? `+${user.phone}` : nameOfUser(user);

export const isBanned = ({ banned_until }: User): boolean =>
  banned_until !== undefined && Date.parse(banned_until) > Date.now();

/** Names of companies, by the name that identities have for them. */
export type CompanyNames = Readonly<Record<string, string>>;

/** As operators know it. One of a company is `sso:` and an id. */
export const sayProvider = (provider: string, companies: CompanyNames = {}): string =>
  provider.startsWith('sso:') ? (companies[provider] ?? 'company') : provider;

export const providersOf = ({ identities }: User, companies: CompanyNames = {}): readonly string[] => [
  ...new Set(identities.map(({ provider }) => sayProvider(provider, companies))),
];

/** A session that is valid now. */
export interface UserSession {
  readonly id: string;
  readonly created_at: string;
  /** Null: never. */
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
  readonly amr: readonly { readonly method: string }[];
  /** Of a client that acts for the user. */
  readonly oauth_client_name: string | null;
  /** Name of an operator who acts for the user. */
  readonly operator: string | null;
}

/** Whether an operator may act for a user. */
export interface ImpersonationRule {
  /** Why not; null: one may. */
  readonly refused: string | null;
  /** The user is told. */
  readonly notifies: boolean;
}

/** A code or link that was sent and can still be redeemed. */
export interface UserCode {
  readonly kind: string;
  readonly recipient: string;
  readonly has_link: boolean;
  readonly has_code: boolean;
  readonly wrong_tries: number;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface UserPasskey {
  readonly id: string;
  readonly friendly_name: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

/** An OAuth client that a user has allowed something. */
export interface UserGrant {
  /** In the console. */
  readonly client_id: string;
  readonly client: {
    /** As it presents itself: the same, or the address of its document. */
    readonly id: string;
    readonly name: string;
    readonly uri: string;
  };
  readonly scopes: readonly string[];
  readonly granted_at: string;
}
