/** What differs between two JSON objects, for people, and as the merge that the API takes. */
type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects with the same members in another order are the same. */
function isSame(one: unknown, other: unknown): boolean {
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every(
      (name) => Object.hasOwn(one, name) && Object.hasOwn(other, name) && isSame(one[name], other[name]),
    );
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, i) => isSame(value, other[i]));
  }
  return one === other;
}

/** @returns lines that begin with `-` (what goes) or `+` (what comes), each with the path of the member */
export function compareJson(before: JsonObject, after: JsonObject, path: string): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (isSame(was, is)) return [];
    const at = `${path}.${name}`;
    if (isObject(was) && isObject(is)) return compareJson(was, is, at);
    return [
      ...(Object.hasOwn(before, name) ? [`- ${at}: ${JSON.stringify(was)}`] : []),
      ...(Object.hasOwn(after, name) ? [`+ ${at}: ${JSON.stringify(is)}`] : []),
    ];
  });
}

/**
 * The members that differ, whole; null for those that are gone. A form that sends nothing else does not overwrite what
 * another operator has changed while it was open.
 */
export function mergeOf(before: JsonObject, after: JsonObject): Record<string, unknown> {
  const merge: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isSame(before[name], after[name])) merge[name] = Object.hasOwn(after, name) ? after[name] : null;
  }
  return merge;
}
