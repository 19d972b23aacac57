/** The interface of identity providers, and what the file of a provider declares. Types only. */
import type { ProviderConfig } from '../config/settings.js';
import type { ExternalProfile } from './profile-contract.js';
import type { StoredProviderTools } from './stored/contract.js';
import type { Watch } from './watch.js';

export type { ExternalProfile, ProviderAddress } from './profile-contract.js';
export type { Watch, WatchedHop } from './watch.js';

/** A profile with the tokens of the provider. */
export interface ExternalGrant {
  readonly profile: ExternalProfile;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
}

/** The provider or the user denied the request (RFC 6749 4.1.2.1). */
export interface ProviderDenial {
  readonly refused: { readonly error: string; readonly description: string };
}

/** Values that must be kept from the redirect to the callback; stored sealed. */
export type ProviderState = Readonly<Record<string, string>>;

/** Input of the authorization URL. */
export interface AuthorizationRequest {
  readonly state: string;
  /** 43 to 128 characters (RFC 7636 4.1). */
  readonly codeVerifier: string;
  /** Must be repeated by the ID token (OpenID Connect Core 3.1.2.1). */
  readonly nonce: string;
  /** Extra scopes, as in the query. */
  readonly scopes: string;
  /** The whole query; what clients may set is passed on. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Of an operator who follows this attempt. */
  readonly watch?: Watch | undefined;
}

/** Input of the callback. */
export interface CallbackAnswer {
  /** Query and form fields of the callback, form first. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly providerState: ProviderState | null;
  readonly watch?: Watch | undefined;
}

/** A provider that is enabled and complete. */
export interface ExternalProvider {
  /** Lower case; `provider` of its identities. */
  readonly name: string;
  /** Users without an address may sign in. */
  readonly isEmailOptional: boolean;
  /** Of a provider in the database: a flow that began with another one under this name does not end here. */
  readonly binding?: string;
  /**
   * @throws ApiError providerUnavailable when its discovery document is needed and unavailable, requestTokenFailed
   */
  authorizationUrl(request: AuthorizationRequest): Promise<{ url: string; providerState: ProviderState | null }>;
  /**
   * Exchanges the code and reads the profile, within 10 s and 1 MB per response (REL-13). Nothing is repeated, except
   * the exchange with the other method of client authentication.
   * @throws ApiError callbackCodeMissing, codeExchangeFailed, accessTokenFailed, providerProfileFailed,
   *   providerEmailMissing, providerSubjectMissing
   */
  readAnswer(answer: CallbackAnswer): Promise<ExternalGrant | ProviderDenial>;
}

/** Body of the id_token grant. Empty text: not given. */
export interface IdTokenRequest {
  readonly idToken: string;
  readonly accessToken: string;
  /** As created by the client; the token contains its SHA-256, as lower-case hex or as base64url without padding. */
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

/** All providers. Keeps no state between requests (SEC-65). */
export interface Providers {
  /** For GET /settings: name → whether it is enabled, complete or not. */
  readonly switches: Readonly<Record<string, boolean>>;
  /**
   * @param name in any case
   * @returns the provider, or the reason why it cannot be used; for `custom:` names as the database has it now
   */
  find(name: string): Promise<ExternalProvider | { readonly unusable: string }>;
  /** @throws ApiError idTokenRequest, idTokenNonce, idTokenIssuer, idTokenProviderDisabled, unexpectedFailure */
  verifyIdToken(request: IdTokenRequest): Promise<IdTokenGrant>;
  /** For providers in the database; null where CUSTOM_OAUTH_ENABLED is off. */
  readonly stored: StoredProviderTools | null;
  /** Ends work in the background. */
  close(): void;
}

/** The settings of one provider, with shared ones it may need. */
export interface ProviderSettings extends ProviderConfig {
  readonly name: string;
  /** Of a custom provider, which is known by its discovery document. */
  readonly issuer?: string;
  /** Accepted in ID tokens besides EXTERNAL_X_CLIENT_ID. */
  readonly moreAudiences?: readonly string[];
  /** Apple's ids of the team and of the key that signs client secrets. */
  readonly signingKey?: { readonly teamId: string; readonly keyId: string };
}

/** What an enabled provider is opened with. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  /** EXTERNAL_X_URL without a trailing slash, or null. */
  readonly url: string | null;
  /** The first entry of EXTERNAL_X_CLIENT_ID. */
  readonly clientId: string;
  /** For all calls of one request together. */
  readonly budgetSeconds: number;
  /** Of a provider in the database; see OutboundRequest. */
  readonly privateHosts?: readonly string[];
}

export interface OAuth2Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** Base of the calls for the profile. */
  readonly api: string;
}

/** The token response, decoded (RFC 6749 5.1), with non-standard members. */
export type TokenAnswer = Readonly<Record<string, unknown>> & { readonly access_token: string };

/** Input of a profile reader. */
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

/** A provider with plain OAuth 2.0 (RFC 6749). Its file exports this as `provider`. */
export interface OAuth2Spec {
  readonly protocol: 'oauth2';
  /** @param url EXTERNAL_X_URL without a trailing slash, or null where it is unset */
  endpoints(url: string | null): OAuth2Endpoints;
  readonly scopes: readonly string[];
  /** `scopes` of the caller are not added. */
  readonly ignoresScopes?: true;
  /** It supports PKCE with S256 (RFC 7636, SEC-61). */
  readonly usesPkce: boolean;
  /** Methods of client authentication, in order; absent: HTTP Basic, then the body. */
  readonly authenticatesBy?: readonly ('basic' | 'body')[];
  /** Sent in every authorization request. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Scopes of the caller replace these. */
  readonly replacesScopes?: true;
  /** @throws ProviderFault */
  readProfile(reader: ProfileReader): Promise<ExternalProfile>;
  /** Set if its ID tokens may be redeemed directly, by the id_token grant. */
  readonly idTokens?: IdTokenSpec;
}

/** How ID tokens of a provider are recognised and read. */
export interface IdTokenSpec {
  /** @param url as for {@link OAuth2Spec.endpoints} @returns base of its discovery document, without the suffix */
  issuer(url: string | null): string;
  /** Whether a discovery document found there is valid; absent: its `issuer` equals that base. */
  isOwnDocument?(documentIssuer: string, url: string | null): boolean;
  /**
   * Whether an `iss` is the provider's; absent: equals the issuer of its discovery document.
   * @param documentIssuer `issuer` of the discovery document
   */
  isOwnIssuer?(claims: IdTokenClaims, documentIssuer: string, url: string | null): boolean;
  /** Whether an issuer in a request means this provider; absent: equals the issuer above. */
  isMeantBy?(issuer: string, url: string | null): boolean;
  /**
   * Set if the error for a wrong issuer names the provider: `Detected ID token issuer is not an Apple ID token issuer`.
   */
  readonly title?: string;
  /** False if its tokens never contain the nonce of the client. */
  readonly checksNonce?: false;
  readClaims(claims: IdTokenClaims, documentIssuer: string, url: string | null): ExternalProfile;
}

/** Claims of a token whose signature, issuer, audience and times were verified. */
export type IdTokenClaims = Readonly<Record<string, unknown>>;

/** A provider with OpenID Connect: the profile is its ID token. */
export interface OidcSpec {
  readonly protocol: 'oidc';
  readonly scopes: readonly string[];
  readonly ignoresScopes?: true;
  /** Scopes of the caller replace these; openid stays. */
  readonly replacesScopes?: true;
  readonly usesPkce: boolean;
  /**
   * The authorization endpoint, if it is known without the discovery document, so that an outage of the document does
   * not matter here. Null: see the document.
   */
  authorizationEndpoint?(url: string | null): string | null;
  /** The token endpoint, if another one than that of the discovery document is used. */
  tokenEndpoint?(url: string | null): string;
  /** False: it drops a nonce, so none is sent, and its tokens need none. One with a nonce is still of another sign-in. */
  readonly sendsNonce?: false;
  /** Sent in every authorization request. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** The query of the request is not passed on. */
  readonly ignoresPassthrough?: true;
  readonly idTokens: IdTokenSpec;
  /** Creates the client secret (apple). */
  openSecret?(settings: ProviderSettings): () => Promise<string>;
  /** Adds what only the callback contains (apple: the name). */
  complete?(profile: ExternalProfile, parameters: ReadonlyMap<string, string>): ExternalProfile;
  /** Reads a response without ID token; absent: it is rejected. */
  readProfile?(reader: ProfileReader): Promise<ExternalProfile>;
  /** Whether claims of an ID token lack what the userinfo endpoint may have (Core 5.4); absent: it is not asked. */
  needsUserinfo?(claims: IdTokenClaims): boolean;
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
  /** @param json decoded response of the profile endpoint */
  readProfile(json: unknown, url: string | null): ExternalProfile;
}

export type ProviderSpec = OAuth2Spec | OidcSpec | OAuth1Spec;
