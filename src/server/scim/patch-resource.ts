/** What a patch makes of a resource: all of it or nothing, since it works on a copy. */
import { isDeepStrictEqual } from 'node:util';
import { apiError } from '../errors.js';
import { matchesValue, valueOfFilter } from './filter-match.js';
import { parsePath, type WrittenPath } from './filter-syntax.js';
import { type FoundAttribute, findAttribute, findSub } from './find-attribute.js';
import type { PatchOperation } from './patch-operations.js';
import {
  assertComplete,
  assertCount,
  nonEmpty,
  readOne,
  readValue,
  type ScimResource,
  setOrDrop,
} from './read-resource.js';
import type { ScimAttribute } from './scim-attribute.js';
import type { ScimKind } from './scim-schemas.js';

type Value = ScimResource;
type Operation = Pick<PatchOperation, 'op' | 'value'>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param resource stays as it is
 * @throws ApiError scimPathInvalid, scimValueInvalid, scimMutability, scimNoTarget
 */
export function patchResource(
  kind: ScimKind,
  resource: ScimResource,
  operations: readonly PatchOperation[],
): ScimResource {
  const patched = structuredClone(resource);
  for (const { op, path, value } of operations) {
    if (path !== null) applyAt(kind, patched, parsePath(path), { op, value });
    else {
      for (const [name, one] of Object.entries(value as object)) applyMember(kind, patched, name, { op, value: one });
    }
  }
  assertComplete(kind, patched);
  return patched;
}

/** A member of a value without a path: its name is one, or a path. What is unknown or read-only is ignored, as in a resource. */
function applyMember(kind: ScimKind, resource: ScimResource, name: string, operation: Operation): void {
  let path: WrittenPath;
  try {
    path = parsePath(name);
  } catch {
    return;
  }
  const found = findAttribute(kind, path.name);
  if (found === undefined || found.attribute?.mutability === 'readOnly') return;
  applyAt(kind, resource, path, operation);
}

function applyAt(kind: ScimKind, resource: ScimResource, path: WrittenPath, { op, value }: Operation): void {
  const found = findAttribute(kind, path.name);
  if (found === undefined) {
    throw apiError('scimPathInvalid', { reason: `There is no attribute ${path.name.slice(0, 100)}` });
  }
  const { extension, attribute } = found;
  if (attribute === null) {
    applyToExtension(kind, resource, extension!.id, { op, value });
    return;
  }
  if (attribute.mutability === 'readOnly' || found.sub?.mutability === 'readOnly') {
    throw apiError('scimMutability', { reason: `${attribute.name} can only be read` });
  }
  const target =
    extension === null ? resource : isObject(resource[extension.id]) ? (resource[extension.id] as Value) : {};
  if (attribute.multiValued) applyToValues(target, found, path, { op, value });
  else if (path.filter !== null) throw apiError('scimPathInvalid', { reason: `${attribute.name} has one value` });
  else applyToOne(target, attribute, found.sub, { op, value });
  if (extension !== null) setOrDrop(resource, extension.id, Object.keys(target).length === 0 ? undefined : target);
}

function applyToExtension(kind: ScimKind, resource: ScimResource, urn: string, { op, value }: Operation): void {
  if (op === 'remove') delete resource[urn];
  else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) applyMember(kind, resource, `${urn}:${name}`, { op, value: one });
  } else throw apiError('scimValueInvalid', { reason: `${urn} must be an object` });
}

/** Parts that are not named stay (RFC 7644 3.5.2.3). */
function applyToOne(
  target: Value,
  attribute: ScimAttribute,
  sub: ScimAttribute | null,
  { op, value }: Operation,
): void {
  const { name } = attribute;
  const before = isObject(target[name]) ? (target[name] as Value) : {};
  if (sub !== null) {
    const after = { ...before };
    setOrDrop(after, sub.name, op === 'remove' ? undefined : readValue(sub, value));
    setOrDrop(target, name, Object.keys(after).length === 0 ? undefined : after);
    return;
  }
  const read = op === 'remove' ? undefined : readValue(attribute, value);
  if (isObject(value) && op !== 'remove') setOrDrop(target, name, nonEmpty({ ...before, ...(read as Value) }));
  else setOrDrop(target, name, isObject(read) ? { ...before, ...read } : read);
}

function applyToValues(target: Value, found: FoundAttribute, path: WrittenPath, operation: Operation): void {
  const attribute = found.attribute!;
  const values = Array.isArray(target[attribute.name]) ? [...(target[attribute.name] as Value[])] : [];
  const sub = path.sub === null ? found.sub : (findSub(attribute, path.sub) ?? null);
  if (path.sub !== null && sub === null) {
    throw apiError('scimPathInvalid', { reason: `${attribute.name} has no ${path.sub.slice(0, 60)}` });
  }
  const isAll = path.filter === null && sub === null;
  const after = isAll ? changeAll(attribute, values, operation) : changeSome(attribute, values, path, sub, operation);
  assertCount(attribute, after);
  setOrDrop(target, attribute.name, after.length === 0 ? undefined : onePrimary(after, values));
}

function changeAll(attribute: ScimAttribute, values: readonly Value[], { op, value }: Operation): Value[] {
  const read = value === undefined ? [] : ((readValue(attribute, value) ?? []) as Value[]);
  if (op === 'replace') return read;
  if (op === 'add') return read.reduce<Value[]>(addValue, [...values]);
  // Entra ID names the values that go.
  if (value === undefined || value === null) return [];
  return values.filter((one) => !read.some((gone) => isSame(one, gone)));
}

/** Addresses have no `value`: all of their parts decide. */
function isSame(one: Value, other: Value): boolean {
  const value = one['value'];
  if (value !== undefined) return value === other['value'] && (other['type'] ?? one['type']) === one['type'];
  return isDeepStrictEqual({ ...one, primary: undefined }, { ...other, primary: undefined });
}

/** One that is there is not there twice. */
function addValue(values: Value[], added: Value): Value[] {
  const at = values.findIndex((one) => isSame(one, added));
  return at === -1 ? [...values, added] : values.with(at, { ...values[at], ...added });
}

function changeSome(
  attribute: ScimAttribute,
  values: readonly Value[],
  { filter }: WrittenPath,
  sub: ScimAttribute | null,
  { op, value }: Operation,
): Value[] {
  const isMeant = (one: Value): boolean => filter === null || matchesValue(attribute, one, filter);
  if (op === 'remove' && sub === null) return values.filter((one) => !isMeant(one));
  const change = (one: Value): Value => changeValue(attribute, one, sub, { op, value });
  const isThere = values.some(isMeant);
  if (isThere || op === 'remove') return values.map((one) => (isMeant(one) ? change(one) : one)).filter(hasValue);
  const made = filter === null ? {} : valueOfFilter(attribute, filter);
  if (made === undefined)
    throw apiError('scimNoTarget', { reason: `No value of ${attribute.name} is meant by the path` });
  return [...values, change(made)].filter(hasValue);
}

const hasValue = (one: Value): boolean =>
  Object.keys(one).some((name) => !['type', 'primary', 'display'].includes(name));

function changeValue(attribute: ScimAttribute, one: Value, sub: ScimAttribute | null, { op, value }: Operation): Value {
  const after = { ...one };
  if (sub !== null) setOrDrop(after, sub.name, op === 'remove' ? undefined : readValue(sub, value));
  else Object.assign(after, readOne(attribute, value) ?? {});
  return after;
}

/** A value that becomes the first choice is the only one (RFC 7644 3.5.2). */
function onePrimary(after: Value[], before: readonly Value[]): Value[] {
  const primary = after.filter((one) => one['primary'] === true);
  if (primary.length < 2) return after;
  const former = before.find((one) => one['primary'] === true);
  const next = primary.findLast((one) => former === undefined || one['value'] !== former['value']) ?? primary[0];
  return after.map((one) => (one['primary'] === true && one !== next ? { ...one, primary: false } : one));
}
