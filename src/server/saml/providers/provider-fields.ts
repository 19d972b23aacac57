/** The fields of an identity provider that administrators send, and their rules. */
import { spellDomain } from '../../accounts/addresses.js';
import { apiError } from '../../errors.js';
import type { GivenPlace } from '../../organizations/provider-place.js';
import { isCallable } from '../../outbound/loopback.js';
import { nameIdFormats, nameIdFormatUri } from '../name-id-formats.js';

/** Undefined: not given. */
export interface GivenProvider extends GivenPlace {
  readonly metadata_xml?: string | undefined;
  readonly metadata_url?: string | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly attribute_mapping?: Readonly<Record<string, unknown>> | undefined;
  readonly name_id_format?: string | undefined;
  readonly resource_id?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly idp_initiated?: boolean | undefined;
  readonly enforced?: boolean | undefined;
  readonly force_authn?: boolean | undefined;
  readonly authn_context?: string | undefined;
}

const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const MAX_DOMAINS = 200;
const MAX_CLAIMS = 100;
const MAX_NAMES = 20;
const MAX_URL_LENGTH = 2048;

const invalid = (reason: string) => apiError('ssoFieldInvalid', { reason });

/** @returns them in the one spelling in which they are stored. @throws ApiError ssoFieldInvalid */
export function readDomains(domains: readonly string[]): string[] {
  const found = [...new Set(domains.map(spellDomain))];
  if (found.length > MAX_DOMAINS) throw invalid(`domains must have at most ${MAX_DOMAINS} entries`);
  const wrong = found.find((domain) => !DOMAIN.test(domain));
  if (wrong !== undefined) throw invalid(`domains must be names such as example.com, not ${wrong.slice(0, 100)}`);
  return found;
}

/** @throws ApiError samlMetadataUrlInvalid, samlMetadataUrlPlain */
export function assertMetadataUrl(text: string, privateHosts: readonly string[]): void {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') throw apiError('samlMetadataUrlInvalid');
  if (!isCallable(url, privateHosts)) throw apiError('samlMetadataUrlPlain');
}

/** @throws ApiError ssoFieldInvalid */
export function assertOtherFields(given: GivenProvider): void {
  const { name_id_format: format, resource_id: resourceId, authn_context: context } = given;
  if (format !== undefined && format !== '' && nameIdFormatUri(format) === undefined) {
    throw invalid(`name_id_format must be one of: ${Object.keys(nameIdFormats).join(', ')}`);
  }
  if (resourceId !== undefined && resourceId.length > 255)
    throw invalid('resource_id must have at most 255 characters');
  if (context !== undefined && (context.length > 512 || (context !== '' && !URL.canParse(context)))) {
    throw invalid('authn_context must be a URI');
  }
  if (given.attribute_mapping !== undefined) assertMapping(given.attribute_mapping);
}

/** @throws ApiError ssoFieldInvalid */
export function assertMapping(mapping: Readonly<Record<string, unknown>>): void {
  const { keys = {}, ...others } = mapping;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw invalid(`attribute_mapping must have only keys, not ${unknown.slice(0, 100)}`);
  if (!isObject(keys)) throw invalid('attribute_mapping.keys must be an object');
  if (Object.keys(keys).length > MAX_CLAIMS) throw invalid(`attribute_mapping must have at most ${MAX_CLAIMS} claims`);
  for (const [claim, entry] of Object.entries(keys)) assertClaim(claim.slice(0, 100), entry);
}

function assertClaim(claim: string, entry: unknown): void {
  if (!isObject(entry)) throw invalid(`attribute_mapping.keys.${claim} must be an object`);
  const { name, names, array, target } = entry;
  const isName = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 512;
  if (name !== undefined && name !== '' && !isName(name))
    throw invalid(`attribute_mapping.keys.${claim}.name must be a name`);
  const isList = names === undefined || (Array.isArray(names) && names.length <= MAX_NAMES && names.every(isName));
  if (!isList) throw invalid(`attribute_mapping.keys.${claim}.names must be a list of at most ${MAX_NAMES} names`);
  if (array !== undefined && typeof array !== 'boolean') {
    throw invalid(`attribute_mapping.keys.${claim}.array must be true or false`);
  }
  if (target !== undefined && target !== 'app_metadata' && target !== 'user_metadata') {
    throw invalid(`attribute_mapping.keys.${claim}.target must be user_metadata or app_metadata`);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
