/** What the parts of the fake provider server agree on. Types only. */
import type { ProviderName } from '../../../src/server/config/settings/external.js';
import type { SigningKeys } from '../id-tokens.js';

/** `custom` is an OpenID Connect issuer that nobody has a file for (EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS). */
export type FakeName = ProviderName | 'custom';

/** Endpoints by what they are for. */
export type Part = 'authorize' | 'token' | 'requestToken' | 'profile' | 'emails' | 'discovery' | 'jwks';

/** Somebody who has an account at a provider. */
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
   * Whole answers in place of those made from the rest. `idToken`: its claims, or the token itself, or null for an
   * answer without one.
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

/** What a code was given out for. */
export interface Grant {
  readonly provider: FakeName;
  readonly person: Person;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly nonce: string | null;
}

/** What the fakes share. Whoever is signing in travels with the code or the token, never here (SEC-65). */
export interface Room {
  readonly keys: SigningKeys;
  readonly codes: Map<string, Grant>;
  /** Access token → whose. */
  readonly tokens: Map<string, Grant>;
  readonly redirectUris: Set<string>;
  /** `provider subject` of those who have agreed before: apple tells their name only once. */
  readonly known: Set<string>;
  urlOf(name: FakeName): string;
  /** Who sits at the browser: by the query's `fake_person`, else who was told to sign in next. */
  personAt(call: Call): Person;
  /** The query's `fake_decision`, else what was told to be the answer of everybody, else null: ask on a page. */
  decisionAt(call: Call): string | null;
}

export interface FakeProvider {
  /** The person of reference/providers.md 3.9. */
  readonly example: Person;
  /** Path of each part, below the provider's URL. */
  readonly parts: Readonly<Partial<Record<Part, string>>>;
  serve(part: Part, call: Call, room: Room): Reply | Promise<Reply>;
}
