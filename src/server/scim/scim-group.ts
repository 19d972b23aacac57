/** A group as it is answered, and what a patch changes of it without reading its members. */
import type { ScimGroupChange, ScimGroupRow } from '../../db/scim-groups.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type Filter, parsePath } from './filter-syntax.js';
import { findAttribute } from './find-attribute.js';
import type { PatchOperation } from './patch-operations.js';
import { etagOf, versionOf } from './preconditions.js';
import { isWanted, type Projection, projectResource } from './project-resource.js';
import { readValue, type ScimResource } from './read-resource.js';
import { locationOf } from './resource-locations.js';
import type { ScimAttribute } from './scim-attribute.js';
import { GROUP_KIND } from './scim-schemas.js';
import type { ScimAnswer } from './scim-user.js';

const MAX_NAME = 255;

export function viewScimGroup(app: Pick<App, 'config'>, row: ScimGroupRow, projection: Projection): ScimAnswer {
  const location = locationOf(app, `/Groups/${row.id}`);
  const members = row.members?.map(({ value, display }) => ({
    value,
    $ref: locationOf(app, `/Users/${value}`),
    ...(projection.only?.has('members.display') === true && { display }),
    type: 'User',
  }));
  const version = versionOf(row.version, []);
  const body = {
    schemas: [GROUP_KIND.schema.id],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members !== undefined && { members }),
    meta: {
      resourceType: 'Group',
      created: new Date(row.created_at).toISOString(),
      lastModified: new Date(row.updated_at).toISOString(),
      location,
      version: etagOf(version),
    },
  };
  return { body: projectResource(body, projection), version, location };
}

export const wantsMembers = (projection: Projection): boolean => isWanted(projection, 'members');

/** @throws ApiError scimValueInvalid */
export function readGroup(resource: ScimResource) {
  return {
    displayName: readName('displayName', resource['displayName']),
    externalId: resource['externalId'] === undefined ? null : readName('externalId', resource['externalId']),
    members: [...new Set(readMembers(resource['members']))],
  };
}

function readName(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw apiError('scimValueInvalid', { reason: `${name} is required` });
  if (value.length > MAX_NAME)
    throw apiError('scimValueInvalid', { reason: `${name} may have ${MAX_NAME} characters` });
  return value;
}

/** @throws ApiError scimValueInvalid */
const readMembers = (members: unknown): string[] => givenIds(members).map((id) => readUuid(id) ?? refuseMember(id));

const givenIds = (members: unknown): string[] =>
  ((members ?? []) as readonly { readonly value?: unknown }[]).map(({ value }) => String(value ?? ''));

/** @throws ApiError scimValueInvalid */
export function refuseMember(id: string): never {
  throw apiError('scimValueInvalid', { reason: `There is no member ${id.slice(0, 60)}` });
}

/**
 * What the operations come to, one after the other.
 * @throws ApiError scimPathInvalid, scimMutability, scimValueInvalid, scimNoTarget
 */
export function readGroupPatch(operations: readonly PatchOperation[]): ScimGroupChange {
  const change = new GroupChange();
  for (const { op, path, value } of operations) {
    if (path !== null) change.apply(op, path, value);
    else for (const [name, one] of Object.entries(value as object)) change.applyMember(op, name, one);
  }
  return change.result();
}

class GroupChange {
  #displayName: string | null = null;
  #externalId: string | null | undefined;
  #isWhole = false;
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  /** A member of a value without a path: what is unknown or read-only is ignored, as in a resource. */
  applyMember(op: PatchOperation['op'], name: string, value: unknown): void {
    const attribute = findAttribute(GROUP_KIND, name)?.attribute;
    if (attribute != null && attribute.mutability !== 'readOnly') this.apply(op, name, value);
  }

  apply(op: PatchOperation['op'], path: string, value: unknown): void {
    const { name, filter, sub } = parsePath(path);
    const found = findAttribute(GROUP_KIND, name);
    if (found?.attribute == null || found.sub !== null || sub !== null) throw refusePath(path);
    const { attribute } = found;
    if (attribute.mutability === 'readOnly') {
      throw apiError('scimMutability', { reason: `${attribute.name} can only be read` });
    }
    if (attribute.name === 'members') {
      if (filter === null) this.#changeMembers(op, attribute, value);
      else if (op === 'remove') this.#remove(idsOf(filter, path));
      else throw refusePath(path);
      return;
    }
    if (filter !== null) throw refusePath(path);
    if (attribute.name === 'displayName') this.#displayName = readName('displayName', op === 'remove' ? '' : value);
    else this.#externalId = op === 'remove' || value === null ? null : readName('externalId', value);
  }

  #changeMembers(op: PatchOperation['op'], attribute: ScimAttribute, value: unknown): void {
    const given = readValue(attribute, value);
    if (op === 'remove' && value !== undefined && value !== null) {
      this.#remove(givenIds(given));
      return;
    }
    if (op !== 'add') {
      this.#isWhole = true;
      this.#added.clear();
      this.#removed.clear();
    }
    for (const id of op === 'remove' ? [] : readMembers(given)) {
      this.#added.add(id);
      this.#removed.delete(id);
    }
  }

  /** What is no id is no member. */
  #remove(ids: readonly string[]): void {
    for (const id of ids.map(readUuid)) {
      if (id === null) continue;
      this.#added.delete(id);
      this.#removed.add(id);
    }
  }

  result(): ScimGroupChange {
    return {
      displayName: this.#displayName,
      externalId: this.#externalId,
      added: [...this.#added],
      removed: [...this.#removed],
      isWhole: this.#isWhole,
    };
  }
}

const refusePath = (path: string) =>
  apiError('scimPathInvalid', { reason: `${path.slice(0, 100)} cannot be changed so` });

/** `value eq "id"`, or several of them with or. */
function idsOf(filter: Filter, path: string): string[] {
  if (filter.kind === 'or') return [...idsOf(filter.left, path), ...idsOf(filter.right, path)];
  const isId = filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'value';
  if (!isId) throw refusePath(path);
  return [String(filter.value)];
}
