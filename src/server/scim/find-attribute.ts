/** Which attribute a name means: without regard to case, with or without the URN of its schema (RFC 7643 2.1, RFC 7644 3.10). */
import type { ScimAttribute } from './scim-attribute.js';
import { commonAttributes, type ScimKind, type ScimSchema } from './scim-schemas.js';

export interface FoundAttribute {
  /** Null: the attribute is of the main schema. */
  readonly extension: ScimSchema | null;
  /** Null: the extension as a whole. */
  readonly attribute: ScimAttribute | null;
  /** Null: the attribute as a whole. */
  readonly sub: ScimAttribute | null;
}

/** @returns undefined: there is no such attribute */
export function findAttribute(kind: ScimKind, name: string): FoundAttribute | undefined {
  const lower = name.toLowerCase();
  for (const schema of [kind.schema, ...kind.extensions]) {
    const urn = schema.id.toLowerCase();
    const extension = schema === kind.schema ? null : schema;
    if (lower === urn && extension !== null) return { extension, attribute: null, sub: null };
    if (lower.startsWith(`${urn}:`)) return findIn(schema.attributes, extension, lower.slice(urn.length + 1));
  }
  return findIn([...commonAttributes, ...kind.schema.attributes], null, lower);
}

function findIn(
  attributes: readonly ScimAttribute[],
  extension: ScimSchema | null,
  name: string,
): FoundAttribute | undefined {
  const [first, second, ...more] = name.split('.');
  const attribute = attributes.find((one) => one.name.toLowerCase() === first);
  if (attribute === undefined || more.length > 0) return undefined;
  if (second === undefined) return { extension, attribute, sub: null };
  const sub = findSub(attribute, second);
  return sub && { extension, attribute, sub };
}

export const findSub = (attribute: ScimAttribute, name: string): ScimAttribute | undefined =>
  attribute.subAttributes?.find((one) => one.name.toLowerCase() === name.toLowerCase());
