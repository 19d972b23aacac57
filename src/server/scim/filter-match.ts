/** Which of several values a filter in brackets means, for patches. */
import { apiError } from '../errors.js';
import type { CompareOperator, Filter, FilterValue } from './filter-syntax.js';
import { findSub } from './find-attribute.js';
import { readOne, type ScimResource } from './read-resource.js';
import type { ScimAttribute } from './scim-attribute.js';

/** @param attribute that has the values. @throws ApiError scimPathInvalid */
export function matchesValue(attribute: ScimAttribute, value: ScimResource, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return matchesValue(attribute, value, filter.left) && matchesValue(attribute, value, filter.right);
    case 'or':
      return matchesValue(attribute, value, filter.left) || matchesValue(attribute, value, filter.right);
    case 'not':
      return !matchesValue(attribute, value, filter.inner);
    case 'present':
      return value[subOf(attribute, filter.path.name).name] !== undefined;
    case 'compare': {
      const sub = subOf(attribute, filter.path.name);
      return compare(sub, filter.operator, value[sub.name], filter.value);
    }
    default:
      throw refuse('brackets within brackets');
  }
}

/** What a value that the filter finds has, where the filter says only that: `type eq "work"`. Else undefined. @throws ApiError scimValueInvalid */
export function valueOfFilter(attribute: ScimAttribute, filter: Filter): ScimResource | undefined {
  if (filter.kind === 'and') {
    const [left, right] = [valueOfFilter(attribute, filter.left), valueOfFilter(attribute, filter.right)];
    return left && right && { ...left, ...right };
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.value === null) return undefined;
  const sub = subOf(attribute, filter.path.name);
  return { [sub.name]: readOne(sub, filter.value) };
}

const refuse = (what: string) => apiError('scimPathInvalid', { reason: `The path is not valid: ${what}` });

function subOf(attribute: ScimAttribute, name: string): ScimAttribute {
  const sub = findSub(attribute, name);
  if (sub === undefined) throw refuse(`${attribute.name} has no ${name.slice(0, 60)}`);
  return sub;
}

const isTrue = (value: unknown): boolean => String(value).toLowerCase() === 'true';

function compare(sub: ScimAttribute, operator: CompareOperator, found: unknown, wanted: FilterValue): boolean {
  if (sub.type === 'boolean') return (isTrue(found) === isTrue(wanted)) === (operator === 'eq');
  const spell = (value: unknown): string => (sub.caseExact ? String(value) : String(value).toLowerCase());
  if (found === undefined) return operator === 'ne';
  const [left, right] = [spell(found), spell(wanted)];
  switch (operator) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
}
