/** What the rules of accounts see of identity providers, and what the file of a provider says of it. Types only. */
import type { ProviderConfig } from '../config/settings.js';

/** An address as a provider reports it, spelled as it came. */
export interface ProviderAddress {
  readonly email: string;
  /** The provider says that it belongs to the person. Nothing but that links accounts (SEC-64). */
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
}

/** Somebody as a provider describes them. */
export interface ExternalProfile {
  /** The provider's own id of the person, never empty (SEC-63). */
  readonly subject: string;
  /**
   * Flat claims under the names of reference/providers.md 3.8, empty ones left out, `sub` and `provider_id` included;
   * `email`, `email_verified` and `phone_verified` are added by the rules.
   */
  readonly claims: Readonly<Record<string, unknown>>;
  /** None with an empty `email`. */
  readonly addresses: readonly ProviderAddress[];
}

/** A profile with what the provider gave the client besides. */
export interface ExternalGrant {
  readonly profile: ExternalProfile;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
}

/** The provider, or the person there, said no (RFC 6749 4.1.2.1). */
export interface ProviderRefusal {
  readonly refused: { readonly error: string; readonly description: string };
}

/** Plain text values that must be kept between the two halves of a sign-in; the rules store them sealed. */
export type ProviderState = Readonly<Record<string, string>>;

/** The first half: where to send the browser. */
export interface AuthorizationRequest {
  readonly state: string;
  /** 43 to 128 characters (RFC 7636 4.1). */
  readonly codeVerifier: string;
  /** What an ID token must repeat (OpenID Connect Core 3.1.2.1). */
  readonly nonce: string;
  /** Extra scopes, as the query brought them. */
  readonly scopes: string;
  /** The whole query of the request; the room passes on what the caller may set. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The second half: what the browser brought back. */
export interface CallbackAnswer {
  /** Query and form fields of the callback, form first. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly providerState: ProviderState | null;
}

/** A provider that is switched on and complete. */
export interface ExternalProvider {
  /** Lower case; `provider` of its identities. */
  readonly name: string;
  /** Somebody without an address may sign in. */
  readonly isEmailOptional: boolean;
  /**
   * @throws Refusal providerUnavailable when its discovery document is needed and cannot be had, requestTokenFailed
   */
  authorizationUrl(request: AuthorizationRequest): Promise<{ url: string; providerState: ProviderState | null }>;
  /**
   * Exchanges the code and reads the profile: within 10 s and 1 MB an answer (REL-13), nothing repeated but the
   * exchange under the other way of client authentication.
   * @throws Refusal callbackCodeMissing, codeExchangeFailed, accessTokenFailed, providerProfileFailed,
   *   providerEmailMissing, providerSubjectMissing
   */
  readAnswer(answer: CallbackAnswer): Promise<ExternalGrant | ProviderRefusal>;
}

/** Body of the id_token grant (reference/providers.md 7). Empty text: not given. */
export interface IdTokenRequest {
  readonly idToken: string;
  readonly accessToken: string;
  /** As the client made it; the token holds its SHA-256 in hex. */
  readonly nonce: string;
  readonly provider: string;
  readonly clientId: string;
  readonly issuer: string;
}

export interface IdTokenGrant {
  readonly provider: string;
  readonly isEmailOptional: boolean;
  readonly profile: ExternalProfile;
}

/** The room of providers. It keeps nothing of a request (SEC-65). */
export interface Providers {
  /** For GET /settings: name → whether it is switched on, complete or not. */
  readonly switches: Readonly<Record<string, boolean>>;
  /**
   * @param name in any case
   * @returns the provider, or in words why it cannot be used, as reference/providers.md 1.2 rows 1 to 6 have it
   */
  find(name: string): ExternalProvider | { readonly unusable: string };
  /** @throws Refusal idTokenRequest, idTokenNonce, idTokenIssuer, idTokenProviderDisabled, unexpectedFailure */
  verifyIdToken(request: IdTokenRequest): Promise<IdTokenGrant>;
}

/** The settings of one provider, and what of the others it may need. */
export interface ProviderSettings extends ProviderConfig {
  readonly name: string;
  /** Of a provider that is known by its discovery document alone. */
  readonly issuer?: string;
  /** Accepted in ID tokens besides EXTERNAL_X_CLIENT_ID. */
  readonly moreAudiences?: readonly string[];
  /** Apple's names of the team and of the key that its client secrets are signed with. */
  readonly signingKey?: { readonly teamId: string; readonly keyId: string };
}

/** A provider that is switched on and complete, as it is opened. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  /** EXTERNAL_X_URL without a trailing slash, or null. */
  readonly url: string | null;
  /** The first entry of EXTERNAL_X_CLIENT_ID. */
  readonly clientId: string;
  /** For all calls of one request together. */
  readonly budgetSeconds: number;
}

export interface OAuth2Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** Base of the calls for the profile. */
  readonly api: string;
}

/** What the token endpoint said, decoded (RFC 6749 5.1); members of the provider's own stay in it. */
export type TokenAnswer = Readonly<Record<string, unknown>> & { readonly access_token: string };

/** What reading a profile can use. */
export interface ProfileReader {
  readonly settings: ProviderSettings;
  /** The first entry of EXTERNAL_X_CLIENT_ID. */
  readonly clientId: string;
  readonly endpoints: OAuth2Endpoints;
  readonly token: TokenAnswer;
  /** Query and form fields of the callback. */
  readonly parameters: ReadonlyMap<string, string>;
  /**
   * GET with the access token as bearer (RFC 6750 2.1).
   * @returns the decoded JSON of a 2xx answer: an object or an array
   * @throws ProviderFault
   */
  getJson(url: string, headers?: Readonly<Record<string, string>>): Promise<unknown>;
}

/** A provider that speaks plain OAuth 2.0 (RFC 6749). Its file exports one of these as `provider`. */
export interface OAuth2Spec {
  readonly protocol: 'oauth2';
  /** @param url EXTERNAL_X_URL without a trailing slash, or null where it is unset */
  endpoints(url: string | null): OAuth2Endpoints;
  readonly scopes: readonly string[];
  /** `scopes` of the caller are not added. */
  readonly ignoresScopes?: true;
  /** It understands code_challenge with S256 (RFC 7636, SEC-61). */
  readonly usesPkce: boolean;
  /** @throws ProviderFault */
  readProfile(reader: ProfileReader): Promise<ExternalProfile>;
  /** Set where its ID tokens may be redeemed directly (reference/providers.md 7.2). */
  readonly idTokens?: IdTokenSpec;
}

/** How the ID tokens of a provider are told and read. */
export interface IdTokenSpec {
  /** @param url as for {@link OAuth2Spec.endpoints} @returns where its discovery document stands, without the suffix */
  issuer(url: string | null): string;
  /** Whether a discovery document found there is the provider's; absent: its `issuer` is exactly that. */
  isOwnDocument?(documentIssuer: string, url: string | null): boolean;
  /**
   * Whether an `iss` is the provider's; absent: exactly the issuer of its discovery document.
   * @param documentIssuer `issuer` of the discovery document
   */
  isOwnIssuer?(claims: IdTokenClaims, documentIssuer: string, url: string | null): boolean;
  /** Whether a client that names an issuer and no provider means this one; absent: exactly the issuer above. */
  isMeantBy?(issuer: string, url: string | null): boolean;
  /** Set where a wrong issuer is refused in the provider's name: `Detected ID token issuer is not an Apple ID token issuer`. */
  readonly title?: string;
  /** False where its tokens never hold the nonce of the client. */
  readonly checksNonce?: false;
  readClaims(claims: IdTokenClaims, documentIssuer: string, url: string | null): ExternalProfile;
}

/** Claims of a token whose signature, issuer, audience and times hold. */
export type IdTokenClaims = Readonly<Record<string, unknown>>;

/** A provider that speaks OpenID Connect: the profile is its ID token. */
export interface OidcSpec {
  readonly protocol: 'oidc';
  readonly scopes: readonly string[];
  readonly ignoresScopes?: true;
  readonly usesPkce: boolean;
  /**
   * Where users are sent, if that is known without the discovery document: then an outage of the document does not keep
   * anybody from leaving. Null: the document says.
   */
  authorizationEndpoint?(url: string | null): string | null;
  /** Sent in every authorization request. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Nothing of the caller's query is passed on. */
  readonly ignoresPassthrough?: true;
  readonly idTokens: IdTokenSpec;
  /** Where the client secret is made and not given (apple). */
  openSecret?(settings: ProviderSettings): () => Promise<string>;
  /** Adds what only the callback tells (apple: the name). */
  complete?(profile: ExternalProfile, parameters: ReadonlyMap<string, string>): ExternalProfile;
  /** Where an answer without ID token is read from; absent: it is refused. */
  readProfile?(reader: ProfileReader): Promise<ExternalProfile>;
}

/** OAuth 1.0a (RFC 5849). */
export interface OAuth1Spec {
  readonly protocol: 'oauth1';
  endpoints(url: string | null): {
    readonly requestToken: string;
    readonly authenticate: string;
    readonly accessToken: string;
    /** With its query. */
    readonly profile: string;
  };
  /** @param json decoded answer of the profile endpoint */
  readProfile(json: unknown, url: string | null): ExternalProfile;
}

export type ProviderSpec = OAuth2Spec | OidcSpec | OAuth1Spec;
