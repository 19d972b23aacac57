/** What may be said of a client at registration (RFC 7591 2) and by administrators. */
import type { ClientAuthMethod, ClientType, NewClient, OauthClientRow } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type GivenKeyFields, KEY_METHOD, type KeyFields, readKeyFields, usualKeyFields } from './client-key-fields.js';
import {
  type GivenLogoutFields,
  type LogoutFields,
  readLogoutFields,
  usualLogoutFields,
} from './client-logout-fields.js';
import {
  type GivenSubjectFields,
  readSubjectFields,
  type SubjectFields,
  usualSubjectFields,
} from './client-subject-fields.js';
import { findRedirectUriFault } from './redirect-uri.js';
import { isScopeToken, supportedScopes } from './scopes.js';

/** As sent; every field may be absent. */
export interface GivenClient extends GivenLogoutFields, GivenSubjectFields, GivenKeyFields {
  readonly redirect_uris?: readonly string[];
  readonly client_type?: string;
  readonly token_endpoint_auth_method?: string;
  readonly grant_types?: readonly string[];
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  /** Separated by spaces. */
  readonly scope?: string;
  readonly dpop_bound_access_tokens?: boolean;
}

export type ClientFields = LogoutFields &
  SubjectFields &
  KeyFields &
  Pick<
    NewClient,
    | 'client_type'
    | 'auth_method'
    | 'redirect_uris'
    | 'grant_types'
    | 'name'
    | 'uri'
    | 'logo_uri'
    | 'scopes'
    | 'dpop_bound_access_tokens'
  >;

/** RFC 6749 4.4 */
export const MACHINE_GRANT = 'client_credentials';
/** RFC 8628 3.4 */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const USUAL_GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];
/** What a client may be registered for; whether the server has it on is another matter. */
const GRANT_TYPES: readonly string[] = [...USUAL_GRANT_TYPES, MACHINE_GRANT, DEVICE_GRANT];
const METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post', KEY_METHOD];
const MAX_REDIRECT_URIS = 10;
const MAX_NAME = 1024;
const MAX_URI = 2048;
/** People decide by the name. Some scripts need joiners (U+200C, U+200D). */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });
const invalidUri = (reason: string): ApiError => apiError('clientRedirectUriInvalid', { reason });

/** The fields of a new client. @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid */
export function readNewClient(app: Pick<App, 'config'>, given: GivenClient): ClientFields {
  const { type, method } = readType(given);
  const fields = readChangedFields(app, given);
  return {
    client_type: type,
    auth_method: method,
    redirect_uris: fields.redirect_uris ?? [],
    grant_types: fields.grant_types ?? USUAL_GRANT_TYPES,
    name: fields.name ?? '',
    uri: fields.uri ?? '',
    logo_uri: fields.logo_uri ?? '',
    scopes: fields.scopes ?? null,
    dpop_bound_access_tokens: fields.dpop_bound_access_tokens ?? false,
    ...usualLogoutFields,
    ...readLogoutFields(app, given),
    ...usualSubjectFields,
    ...readSubjectFields(app, given),
    ...usualKeyFields,
    ...readKeyFields(app, given),
  };
}

/**
 * The grants of a client fit to the rest of it: only codes come by a redirect, and only an administrator lets a program act
 * for itself.
 * @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid
 */
export function assertGrantsFit({
  client_type: type,
  registration,
  grant_types: grants,
  redirect_uris: uris,
}: Pick<NewClient, 'client_type' | 'registration' | 'grant_types' | 'redirect_uris'>): void {
  if (uris.length === 0 && grants.includes('authorization_code')) throw invalidUri('redirect_uris is required');
  if (grants.includes(MACHINE_GRANT) && (type !== 'confidential' || registration !== 'manual')) {
    throw invalid(`${MACHINE_GRANT} is for confidential clients that an administrator adds`);
  }
}

/** Those fields that are present. @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid */
export function readChangedFields(
  app: Pick<App, 'config'>,
  given: GivenClient,
): Partial<Omit<ClientFields, 'client_type' | 'auth_method'>> {
  return {
    ...(given.redirect_uris !== undefined && { redirect_uris: readRedirectUris(given.redirect_uris) }),
    ...(given.grant_types !== undefined && { grant_types: readGrantTypes(given.grant_types) }),
    ...(given.client_name !== undefined && { name: readName(given.client_name) }),
    ...(given.client_uri !== undefined && { uri: readUri('client_uri', given.client_uri) }),
    ...(given.logo_uri !== undefined && { logo_uri: readUri('logo_uri', given.logo_uri) }),
    ...readLogoutFields(app, given),
    ...readSubjectFields(app, given),
    ...readKeyFields(app, given),
    ...(given.scope !== undefined && { scopes: readClientScopes(app, given.scope) }),
    ...(given.dpop_bound_access_tokens !== undefined && {
      dpop_bound_access_tokens: given.dpop_bound_access_tokens,
    }),
  };
}

/** The method of an existing client, whose type stays. @throws ApiError clientMetadataInvalid */
export function readChangedMethod(client: OauthClientRow, given: GivenClient): ClientAuthMethod | undefined {
  const { client_type: type, token_endpoint_auth_method: method } = given;
  if (type !== undefined && type !== client.client_type) throw invalid('client_type cannot be changed');
  return method === undefined ? undefined : assertFits(client.client_type, readMethod(method));
}

/** The type is given, or follows from the method; confidential by default. */
function readType({ client_type: given, token_endpoint_auth_method: method }: GivenClient): {
  type: ClientType;
  method: ClientAuthMethod;
} {
  if (given !== undefined && given !== 'public' && given !== 'confidential') {
    throw invalid('client_type must be public or confidential');
  }
  const type = given ?? (method === 'none' ? 'public' : 'confidential');
  const usual = type === 'public' ? 'none' : 'client_secret_basic';
  return { type, method: assertFits(type, method === undefined ? usual : readMethod(method)) };
}

function readMethod(method: string): ClientAuthMethod {
  if (!METHODS.includes(method)) throw invalid(`token_endpoint_auth_method must be one of ${METHODS.join(', ')}`);
  return method as ClientAuthMethod;
}

function assertFits(type: ClientType, method: ClientAuthMethod): ClientAuthMethod {
  if ((type === 'public') !== (method === 'none')) {
    throw invalid(`token_endpoint_auth_method ${method} does not fit a ${type} client`);
  }
  return method;
}

function readRedirectUris(uris: readonly string[]): readonly string[] {
  if (uris.length > MAX_REDIRECT_URIS) throw invalidUri(`redirect_uris may have at most ${MAX_REDIRECT_URIS} entries`);
  for (const uri of uris) {
    const fault = findRedirectUriFault(uri);
    if (fault !== null) throw invalidUri(`redirect_uris: an entry ${fault}`);
  }
  return [...new Set(uris)];
}

function readGrantTypes(types: readonly string[]): readonly string[] {
  if (types.length === 0) throw invalid('grant_types must have at least one entry');
  if (!types.every((type) => GRANT_TYPES.includes(type))) {
    throw invalid(`grant_types may contain ${GRANT_TYPES.join(', ')}`);
  }
  return [...new Set(types)];
}

function readName(name: string): string {
  if (name.length > MAX_NAME) throw invalid(`client_name may have at most ${MAX_NAME} characters`);
  if (HIDDEN.test(name))
    throw invalid('client_name has characters that cannot be seen or change the direction of text');
  return name;
}

/** Shown to users as a link or picture, so nothing but http and https. */
function readUri(name: string, text: string): string {
  if (text === '') return '';
  if (text.length > MAX_URI) throw invalid(`${name} may have at most ${MAX_URI} characters`);
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) throw invalid(`${name} must be an http or https URL`);
  return text;
}

/** RFC 6749 3.3: a scope has at least one name, so that an empty one is none. @returns null where all scopes are allowed */
function readClientScopes({ config }: Pick<App, 'config'>, scope: string): readonly string[] | null {
  const scopes = [...new Set(scope.split(' ').filter(Boolean))];
  const known = supportedScopes(config);
  const unknown = scopes.find((one) => !isScopeToken(one) || !known.includes(one));
  if (unknown !== undefined) throw invalid(`scope has an unknown entry: ${unknown.slice(0, 100)}`);
  return scopes.length === 0 ? null : scopes;
}
