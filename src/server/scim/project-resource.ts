/** Which attributes an answer has: `attributes` and `excludedAttributes` (RFC 7644 3.9). */
import type { ScimResource } from './read-resource.js';
import type { ScimKind } from './scim-schemas.js';

export interface Projection {
  /** Names in lower case; null: all. */
  readonly only: ReadonlySet<string> | null;
  readonly without: ReadonlySet<string>;
}

export const EVERYTHING: Projection = { only: null, without: new Set() };
/** Of every resource, whatever is asked. */
const ALWAYS = new Set(['schemas', 'id']);

/** @param given the values of the two parameters, as texts or lists */
export function readProjection(kind: ScimKind, attributes: unknown, excluded: unknown): Projection {
  const only = readNames(kind, attributes);
  return { only: only.size === 0 ? null : only, without: readNames(kind, excluded) };
}

function readNames(kind: ScimKind, given: unknown): Set<string> {
  const texts = Array.isArray(given) ? given : [given];
  const names = texts
    .filter((one): one is string => typeof one === 'string')
    .flatMap((one) => one.split(','))
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');
  const urn = `${kind.schema.id.toLowerCase()}:`;
  return new Set(names.map((name) => (name.startsWith(urn) ? name.slice(urn.length) : name)));
}

/** Whether an answer has the attribute or a part of it. @param name in lower case */
export function isWanted({ only, without }: Projection, name: string): boolean {
  if (ALWAYS.has(name)) return true;
  if (without.has(name)) return false;
  return (
    only === null || only.has(name) || [...only].some((one) => one.startsWith(`${name}.`) || one.startsWith(`${name}:`))
  );
}

export function projectResource(resource: ScimResource, projection: Projection): ScimResource {
  if (projection.only === null && projection.without.size === 0) return resource;
  const kept: ScimResource = {};
  for (const [name, value] of Object.entries(resource)) {
    const lower = name.toLowerCase();
    if (!isWanted(projection, lower)) continue;
    kept[name] = ALWAYS.has(lower)
      ? value
      : projectValue(value, lower, name.startsWith('urn:') ? ':' : '.', projection);
  }
  return kept;
}

function projectValue(value: unknown, name: string, sign: '.' | ':', projection: Projection): unknown {
  if (Array.isArray(value)) return value.map((one) => projectValue(one, name, sign, projection));
  if (typeof value !== 'object' || value === null) return value;
  const isWhole = projection.only === null || projection.only.has(name);
  const kept = Object.entries(value).filter(([part]) => {
    const whole = `${name}${sign}${part.toLowerCase()}`;
    return !projection.without.has(whole) && (isWhole || isWanted(projection, whole));
  });
  return Object.fromEntries(
    kept.map(([part, one]) => {
      const whole = `${name}${sign}${part.toLowerCase()}`;
      return [part, isWhole ? one : projectValue(one, whole, '.', projection)];
    }),
  );
}
