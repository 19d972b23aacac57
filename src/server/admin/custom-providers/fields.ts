/** Rules of the fields of a custom provider that need no network call. */
import type { CustomProviderSettings } from '../../../db/custom-providers.js';
import { apiError } from '../../errors.js';

type Settings = Omit<CustomProviderSettings, 'authorization_params'>;

/** Fields of a request; undefined: not given. */
export type GivenFields = { readonly [Field in keyof Settings]?: Settings[Field] | undefined } & {
  readonly client_secret?: string | undefined;
  /** Texts once {@link assertFields} has passed them. */
  readonly authorization_params?: Readonly<Record<string, unknown>> | undefined;
};

const PREFIX = 'custom:';
const IDENTIFIER = /^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/;

/** The longest texts, in characters. */
const MAX_LENGTHS = { name: 100, client_id: 512, client_secret: 4096 } as const;
const MAX_ITEMS = 100;
const MAX_ITEM_LENGTH = 512;

/** What only the server decides about an account, whatever an identity provider says. */
const PROTECTED_TARGETS = [
  ...['id', 'aud', 'role', 'app_metadata', 'created_at', 'updated_at', 'confirmed_at', 'email_confirmed_at'],
  ...['phone_confirmed_at', 'email_verified', 'phone_verified', 'banned_until', 'is_super_admin'],
];
/** They tell accounts apart, so they come from the answer, never from a literal. */
const CLAIMED_TARGETS = ['sub', 'email'];

/** Parameters of the authorization request that belong to the protocol; request objects could contain them all. */
const PROTECTED_PARAMETERS = [
  ...['client_id', 'client_secret', 'redirect_uri', 'response_type', 'state', 'code_challenge'],
  ...['code_challenge_method', 'code_verifier', 'nonce', 'request', 'request_uri'],
];

/** GET /authorize leads to the pages by this name. */
export const HOSTED_PROVIDER = 'custom:hosted';

export const invalid = (reason: string) => apiError('invalidParameter', { reason });

/** Of a provider whose identifier no one chooses. @param id of its row */
export const ownIdentifierOf = (id: string): string => `${PREFIX}${id}`;

/** @throws ApiError invalidParameter */
export function assertIdentifier(identifier: string): void {
  if (!identifier.startsWith(PREFIX)) throw invalid(`identifier must begin with ${PREFIX}`);
  if (identifier === HOSTED_PROVIDER) throw invalid('identifier is reserved for the hosted pages');
  if (IDENTIFIER.test(identifier)) return;
  throw invalid(
    'identifier must have at most 50 characters: lower-case letters, digits, colons and dashes, with a letter or digit at the end',
  );
}

/** @throws ApiError invalidParameter, in the order of supabase/auth: parameters, then the mapping, then the allow-list */
export function assertFields(given: GivenFields): void {
  for (const [name, max] of Object.entries(MAX_LENGTHS)) {
    const text = given[name as keyof typeof MAX_LENGTHS] ?? '';
    if (text.length > max) throw invalid(`${name} must have at most ${max} characters`);
  }
  for (const name of ['acceptable_client_ids', 'scopes'] as const) assertItems(name, given[name] ?? []);
  if (given.authorization_params !== undefined) assertParameters(given.authorization_params);
  if (given.attribute_mapping !== undefined) assertMapping(given.attribute_mapping);
  assertItems('custom_claims_allowlist', given.custom_claims_allowlist ?? []);
}

function assertItems(name: string, items: readonly string[]): void {
  if (items.length > MAX_ITEMS) throw invalid(`${name} must have at most ${MAX_ITEMS} entries`);
  for (const item of items) {
    if (item.trim() === '') throw invalid(`${name} must not have blank entries`);
    if (item.length > MAX_ITEM_LENGTH) throw invalid(`an entry of ${name} has more than ${MAX_ITEM_LENGTH} characters`);
  }
}

function assertParameters(parameters: Readonly<Record<string, unknown>>): void {
  assertItems('authorization_params', Object.keys(parameters));
  for (const [name, value] of Object.entries(parameters)) {
    if (PROTECTED_PARAMETERS.includes(name.toLowerCase())) throw invalid(`authorization_params must not set ${name}`);
    if (typeof value !== 'string') throw invalid(`authorization_params.${name.slice(0, 64)} must be a text`);
  }
}

function assertMapping(mapping: Readonly<Record<string, unknown>>): void {
  assertItems('attribute_mapping', Object.keys(mapping));
  for (const [target, source] of Object.entries(mapping)) {
    if (PROTECTED_TARGETS.includes(target.toLowerCase())) throw invalid(`attribute_mapping must not set ${target}`);
    if (CLAIMED_TARGETS.includes(target.toLowerCase()) && typeof source !== 'string') {
      throw invalid(`attribute_mapping.${target} must be the name of a claim`);
    }
  }
}
