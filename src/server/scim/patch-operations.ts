/** Operations of a patch as identity providers send them (RFC 7644 3.5.2, and docs/scim.md). */
import { apiError } from '../errors.js';

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  /** Null: the value names the attributes. */
  readonly path: string | null;
  readonly value: unknown;
}

const MAX_OPERATIONS = 1000;
const OPS: readonly string[] = ['add', 'remove', 'replace'];

const refuse = (reason: string) => apiError('scimSyntaxInvalid', { reason });

const memberOf = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  object[Object.keys(object).find((key) => key.toLowerCase() === name) ?? ''];

/**
 * Some leave out `schemas`, and the names of operations have any case.
 * @throws ApiError scimSyntaxInvalid, scimTooMany, scimNoTarget, scimPathInvalid
 */
export function readOperations(body: Readonly<Record<string, unknown>>): readonly PatchOperation[] {
  const list = memberOf(body, 'operations');
  if (!Array.isArray(list) || list.length === 0) throw refuse('Operations must be a list of one or more');
  if (list.length > MAX_OPERATIONS)
    throw apiError('scimTooMany', { reason: `A patch may have ${MAX_OPERATIONS} operations` });
  return list.map(readOperation);
}

function readOperation(given: unknown): PatchOperation {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refuse('An operation must be an object');
  const members = given as Readonly<Record<string, unknown>>;
  const op = memberOf(members, 'op');
  const lower = typeof op === 'string' ? op.toLowerCase() : '';
  if (!OPS.includes(lower)) throw refuse('op must be add, remove or replace');
  const path = memberOf(members, 'path') ?? null;
  if (path !== null && typeof path !== 'string') {
    throw apiError('scimPathInvalid', { reason: 'The path must be a text' });
  }
  const value = memberOf(members, 'value');
  const hasPath = path !== null && path !== '';
  if (lower === 'remove' && !hasPath) throw apiError('scimNoTarget', { reason: 'remove needs a path' });
  if (lower !== 'remove' && value === undefined)
    throw apiError('scimValueInvalid', { reason: `${lower} needs a value` });
  if (!hasPath && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    throw apiError('scimValueInvalid', { reason: 'Without a path the value must be an object' });
  }
  return { op: lower as PatchOperation['op'], path: hasPath ? path : null, value };
}
