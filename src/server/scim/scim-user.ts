/** A person: from what the identity provider sends to what is kept of the account, and back. */
import type { ScimUserRow, WrittenScimUser } from '../../db/scim-users.js';
import type { Metadata } from '../../db/user-rows.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { assertNewTokenFits } from '../accounts/metadata.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { etagOf, versionOf } from './preconditions.js';
import { isWanted, type Projection, projectResource } from './project-resource.js';
import { type ScimResource, searchDocument } from './read-resource.js';
import { locationOf } from './resource-locations.js';
import { USER_KIND } from './scim-schemas.js';

const MAX_NAME = 255;
/** RFC 5321 4.5.3.1: 64 before the at sign and 255 after it. */
const MAX_ADDRESS = 320;
/** What tokens have of it: no member can change it. */
const CLAIMED = ['name', 'displayName', 'nickName', 'title', 'preferredLanguage', 'locale', 'timezone', 'profileUrl'];
const CLAIMS = ['name', 'picture', 'locale'];

type Value = Readonly<Record<string, unknown>>;

/**
 * @param roles of the organization that may be given
 * @throws ApiError scimValueInvalid
 */
export function writtenUser(
  app: Pick<App, 'config'>,
  resource: ScimResource,
  roles: (name: string) => boolean,
): WrittenScimUser {
  const { userName, externalId, active, password: _, ...rest } = resource;
  const names = { userName: String(userName), externalId: (externalId as string | undefined) ?? null };
  for (const [name, value] of Object.entries(names)) {
    if ((value ?? '').length > MAX_NAME)
      throw apiError('scimValueInvalid', { reason: `${name} may have ${MAX_NAME} characters` });
  }
  const emails = textsOf(resource, 'emails');
  if (emails.some((one) => one.length > MAX_ADDRESS)) {
    throw apiError('scimValueInvalid', { reason: `An address of emails may have ${MAX_ADDRESS} characters` });
  }
  const email = addressOf(valuesOf(resource, 'emails'));
  const claims = claimsOf(resource);
  const kept = Object.fromEntries(CLAIMED.flatMap((name) => (name in resource ? [[name, resource[name]]] : [])));
  const photos = valuesOf(resource, 'photos');
  const appMetadata = { ...kept, ...(photos.length > 0 && { photos }) };
  assertFits(app, email, claims, appMetadata);
  return {
    ...names,
    emailKeys: emails.map((one) => one.toLowerCase()),
    active: active !== false,
    resource: rest,
    search: {
      ...searchDocument(USER_KIND, rest),
      username: names.userName.toLowerCase(),
      active: active !== false,
      ...(externalId !== undefined && { externalid: externalId }),
    },
    askedRoles: [...new Set(textsOf(resource, 'roles'))].filter(roles).sort(),
    email,
    userMetadata: { set: claims, drop: CLAIMS.filter((name) => !(name in claims)) },
    appMetadata,
  };
}

const valuesOf = (resource: ScimResource, name: string): readonly Value[] => (resource[name] ?? []) as readonly Value[];

const textsOf = (resource: ScimResource, name: string): string[] =>
  valuesOf(resource, name).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));

/** The address of the account: the first choice, else that for work, else the first. */
function addressOf(emails: readonly Value[]): string | null {
  const chosen = emails.find(({ primary }) => primary === true) ?? emails.find(isForWork) ?? emails[0];
  if (chosen === undefined) return null;
  try {
    return normaliseEmail(String(chosen['value']));
  } catch (cause) {
    throw apiError('scimValueInvalid', { reason: 'emails has an address that is not valid' }, { cause });
  }
}

const isForWork = ({ type }: Value): boolean => String(type).toLowerCase() === 'work';

/** As the user object shows them. */
function claimsOf(resource: ScimResource): Metadata {
  const parts = (resource['name'] ?? {}) as Readonly<Record<string, string>>;
  const joined = [parts['givenName'], parts['familyName']].filter(Boolean).join(' ');
  const name = resource['displayName'] ?? parts['formatted'] ?? (joined || undefined);
  const photos = valuesOf(resource, 'photos');
  const picture = (photos.find(({ primary }) => primary === true) ?? photos[0])?.['value'];
  const claims = { name, picture, locale: resource['locale'] };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** @throws ApiError scimValueInvalid */
function assertFits(
  { config }: Pick<App, 'config'>,
  email: string | null,
  userMetadata: Metadata,
  scim: Metadata,
): void {
  const account = { audience: config.jwtAudience, email, phone: null, userMetadata, appMetadata: { scim } };
  try {
    assertNewTokenFits(config, account);
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    throw apiError(
      'scimValueInvalid',
      { reason: 'Name, title, photos and the like are too long for a token' },
      { cause },
    );
  }
}

/** The resource as it was sent last, for a patch. */
export const resourceOf = ({ user_name, external_id, active, resource }: ScimUserRow): ScimResource => ({
  ...(structuredClone(resource) as ScimResource),
  userName: user_name,
  ...(external_id !== null && { externalId: external_id }),
  active,
});

/** What is answered. */
export interface ScimAnswer {
  readonly body: ScimResource;
  /** Of the entity tag. */
  readonly version: string;
  readonly location: string;
}

export function viewScimUser(app: Pick<App, 'config'>, row: ScimUserRow, projection: Projection): ScimAnswer {
  const location = locationOf(app, `/Users/${row.id}`);
  const extensions = USER_KIND.extensions.map(({ id }) => id).filter((id) => id in row.resource);
  const { userName, externalId, active, ...rest } = resourceOf(row);
  const groups = row.groups?.map(({ value, display }) => ({
    value,
    $ref: locationOf(app, `/Groups/${value}`),
    display,
    type: 'direct',
  }));
  const version = versionOf(row.version, row.groups ?? []);
  const body = {
    schemas: [USER_KIND.schema.id, ...extensions],
    id: row.id,
    ...(externalId !== undefined && { externalId }),
    userName,
    active,
    ...rest,
    ...(groups !== undefined && { groups }),
    meta: {
      resourceType: 'User',
      created: new Date(row.created_at).toISOString(),
      lastModified: new Date(row.updated_at).toISOString(),
      location,
      version: etagOf(version),
    },
  };
  return { body: projectResource(body, projection), version, location };
}

export const wantsGroups = (projection: Projection): boolean => isWanted(projection, 'groups');
