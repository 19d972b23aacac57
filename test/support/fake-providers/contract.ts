/** Types of the fake provider server. */
import type { ProviderName } from '../../../src/server/config/settings/external.js';
import type { SigningKeys } from '../id-tokens.js';

/** `custom` is an OpenID Connect issuer without a provider file (EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS). */
export type FakeName = ProviderName | 'custom';

/** Endpoints by purpose. */
export type Part = 'authorize' | 'token' | 'requestToken' | 'profile' | 'emails' | 'discovery' | 'jwks';

/** A person with an account at a provider. */
export interface Person {
  /** The provider's id of them; of any type, so that bad ones can be tried (SEC-63). */
  readonly subject: unknown;
  readonly name: string;
  /** Login, handle or screen name, where there is one. */
  readonly username: string;
  readonly email: string | null;
  readonly isVerified: boolean;
  /** Further addresses, where the provider has a list of them. */
  readonly others: readonly { readonly email: string; readonly isVerified: boolean }[];
  /**
   * Complete responses in place of the generated ones. `idToken`: its claims, or the token itself, or null for a
   * response without one.
   */
  readonly answers: Readonly<Partial<Record<'token' | 'profile' | 'emails' | 'idToken', unknown>>>;
}

/** A request, read to its end. */
export interface Call {
  readonly provider: FakeName;
  readonly method: string;
  /** Below the provider's URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body read as a form; empty where it was none. */
  readonly fields: URLSearchParams;
}

export interface Reply {
  readonly status?: number;
  /** Default application/json; charset=utf-8. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. */
  readonly body: unknown;
}

/** The authorization that a code or token stands for. */
export interface Grant {
  readonly provider: FakeName;
  readonly person: Person;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly nonce: string | null;
}

/** State shared by the fakes. The person who signs in is part of the code or token, never of this (SEC-65). */
export interface Shared {
  readonly keys: SigningKeys;
  readonly codes: Map<string, Grant>;
  /** By access token. */
  readonly tokens: Map<string, Grant>;
  readonly redirectUris: Set<string>;
  /** `provider subject` of people who have consented before: apple sends a name only once. */
  readonly known: Set<string>;
  urlOf(name: FakeName): string;
  /** The person at the browser: from the query's `fake_person`, else the one that signs in next. */
  personAt(call: Call): Person;
  /** The query's `fake_decision`, else the decision set for all, else null: show the page. */
  decisionAt(call: Call): string | null;
}

export interface FakeProvider {
  /** The user whose recorded responses are served by default. */
  readonly example: Person;
  /** Path of each part, below the provider's URL. */
  readonly parts: Readonly<Partial<Record<Part, string>>>;
  serve(part: Part, call: Call, shared: Shared): Reply | Promise<Reply>;
}
