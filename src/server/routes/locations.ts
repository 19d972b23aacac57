/** Addresses a browser is sent to, with parameters in the query or the fragment. */

export type Parameters = Readonly<Record<string, string>>;

export const withoutFragment = (url: string): string => url.split('#', 1)[0]!;

/** Sets parameters in the query, keeps the others, sorts all; an existing fragment stays. */
export function withQuery(target: string, parameters: Parameters): string {
  const [rest, fragment] = [withoutFragment(target), target.slice(withoutFragment(target).length)];
  const cut = rest.indexOf('?');
  const [path, query] = cut === -1 ? [rest, ''] : [rest.slice(0, cut), rest.slice(cut + 1)];
  const merged = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) merged.set(name, value);
  merged.sort();
  return `${path}?${merged}${fragment}`;
}

/** Puts parameters in place of the fragment. */
export const withFragment = (target: string, parameters: Parameters): string =>
  `${withoutFragment(target)}#${sortedForm(parameters)}`;

/** application/x-www-form-urlencoded, sorted by name: safe in a fragment whatever the values hold (SEC-66). */
export function sortedForm(parameters: Parameters): string {
  const form = new URLSearchParams(parameters);
  form.sort();
  return form.toString();
}
