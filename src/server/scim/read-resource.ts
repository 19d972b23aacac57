/** Resources as they are sent → as they are kept: names as schemas spell them, values of their types, nothing else. */
import { apiError } from '../errors.js';
import type { ScimAttribute } from './scim-attribute.js';
import { commonAttributes, type ScimKind } from './scim-schemas.js';

/** Attributes by name; those of an extension are in a member with its URN. */
export type ScimResource = Record<string, unknown>;

const MAX_TEXT = 2048;
const MAX_VALUES = 200;
const EXTERNAL_ID = commonAttributes.find(({ name }) => name === 'externalId')!;

const refuse = (reason: string) => apiError('scimValueInvalid', { reason });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is sent to make or replace a resource. Unknown and read-only attributes are ignored (RFC 7643 2.2), and so is one without a
 * value.
 * @throws ApiError scimValueInvalid
 */
export function readResource(kind: ScimKind, body: Readonly<Record<string, unknown>>): ScimResource {
  const resource = readAttributes([EXTERNAL_ID, ...kind.schema.attributes], body);
  for (const { id, attributes } of kind.extensions) {
    const given = memberOf(body, id);
    if (isObject(given)) setOrDrop(resource, id, nonEmpty(readAttributes(attributes, given)));
  }
  return resource;
}

function readAttributes(attributes: readonly ScimAttribute[], body: Readonly<Record<string, unknown>>): ScimResource {
  const read: ScimResource = {};
  for (const attribute of attributes) {
    if (attribute.mutability === 'readOnly') continue;
    setOrDrop(read, attribute.name, readValue(attribute, memberOf(body, attribute.name)));
  }
  return read;
}

/** The last member of that name, without regard to case. */
function memberOf(body: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(body, name)) return body[name];
  const lower = name.toLowerCase();
  const key = Object.keys(body).findLast((one) => one.toLowerCase() === lower);
  return key === undefined ? undefined : body[key];
}

/** @param value undefined: the attribute has none */
export function setOrDrop(target: ScimResource, name: string, value: unknown): void {
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** @returns undefined for one without members */
export const nonEmpty = (object: ScimResource): ScimResource | undefined =>
  Object.keys(object).length === 0 ? undefined : object;

/** @returns undefined: it has no value. @throws ApiError scimValueInvalid */
export function readValue(attribute: ScimAttribute, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (!attribute.multiValued) return readOne(attribute, value);
  const list = Array.isArray(value) ? value : [value];
  assertCount(attribute, list);
  const read = list.map((one) => readOne(attribute, one)).filter((one) => one !== undefined);
  if (read.filter((one) => isObject(one) && one['primary'] === true).length > 1) {
    throw refuse(`Only one of ${attribute.name} is primary`);
  }
  return read.length === 0 ? undefined : read;
}

/** Members of groups have a limit of their own. @throws ApiError scimValueInvalid */
export function assertCount({ name }: ScimAttribute, list: readonly unknown[]): void {
  if (list.length > MAX_VALUES && name !== 'members') throw refuse(`${name} may have ${MAX_VALUES} values`);
}

/** One value of an attribute. @returns undefined: it is empty. @throws ApiError scimValueInvalid */
export function readOne(attribute: ScimAttribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (attribute.type === 'boolean') return readFlag(attribute, value);
  if (attribute.type === 'complex') return readComplex(attribute, value);
  if (typeof value !== 'string') throw refuse(`${attribute.name} must be a text`);
  if (value.length > MAX_TEXT) throw refuse(`${attribute.name} may have ${MAX_TEXT} characters`);
  return value === '' ? undefined : value;
}

/** Entra ID sends texts. */
function readFlag({ name }: ScimAttribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw refuse(`${name} must be true or false`);
  return text === 'true';
}

/** A text stands for the value: Entra ID sends the manager so. */
function readComplex(attribute: ScimAttribute, value: unknown): ScimResource | undefined {
  const given = typeof value === 'string' ? { value } : value;
  if (!isObject(given)) throw refuse(`${attribute.name} must be an object`);
  const read: ScimResource = {};
  for (const sub of attribute.subAttributes ?? []) {
    // What is told about members is known here.
    if (sub.mutability !== 'readOnly') setOrDrop(read, sub.name, readValue(sub, memberOf(given, sub.name)));
  }
  // Nothing but what describes a value is no value.
  const isDescription = Object.keys(read).every((name) => ['type', 'primary', 'display'].includes(name));
  return attribute.multiValued && isDescription ? undefined : nonEmpty(read);
}

/** What a resource must have. @throws ApiError scimValueInvalid */
export function assertComplete(kind: ScimKind, resource: ScimResource): void {
  for (const { name, required } of kind.schema.attributes) {
    const value = resource[name];
    if (required && (value === undefined || (typeof value === 'string' && value.trim() === ''))) {
      throw refuse(`${name} is required`);
    }
  }
}

/** The document that filters search: names, and values without case, in lower case. */
export function searchDocument(kind: ScimKind, resource: ScimResource): ScimResource {
  const document = lowerAll([EXTERNAL_ID, ...kind.schema.attributes], resource);
  for (const { id, attributes } of kind.extensions) {
    const given = resource[id];
    if (isObject(given)) document[id.toLowerCase()] = lowerAll(attributes, given);
  }
  return document;
}

function lowerAll(attributes: readonly ScimAttribute[], from: ScimResource): ScimResource {
  const lower: ScimResource = {};
  for (const attribute of attributes) {
    const value = from[attribute.name];
    if (value !== undefined) lower[attribute.name.toLowerCase()] = lowerValue(attribute, value);
  }
  return lower;
}

function lowerValue(attribute: ScimAttribute, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => lowerValue(attribute, one));
  if (isObject(value)) return lowerAll(attribute.subAttributes ?? [], value);
  return typeof value === 'string' && !attribute.caseExact ? value.toLowerCase() : value;
}
