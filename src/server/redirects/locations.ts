/** Builds redirect URLs with parameters in the query or the fragment. */

export type Parameters = Readonly<Record<string, string>>;

export const withoutFragment = (url: string): string => url.split('#', 1)[0]!;

/** Sets parameters in the query and sorts it; keeps the fragment. */
export function withQuery(target: string, parameters: Parameters): string {
  const [rest, fragment] = [withoutFragment(target), target.slice(withoutFragment(target).length)];
  const cut = rest.indexOf('?');
  const [path, query] = cut === -1 ? [rest, ''] : [rest.slice(0, cut), rest.slice(cut + 1)];
  const merged = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) merged.set(name, value);
  merged.sort();
  return `${path}?${merged}${fragment}`;
}

/** In every fragment of supabase/auth. Clients tell by it that the parameters come from the server. */
export const FRAGMENT_MARK: Parameters = { sb: '' };

/** Replaces the fragment by parameters. */
export const withFragment = (target: string, parameters: Parameters): string =>
  `${withoutFragment(target)}#${sortedForm({ ...FRAGMENT_MARK, ...parameters })}`;

/** application/x-www-form-urlencoded, sorted by name; safe in a fragment for any values (SEC-66). */
export function sortedForm(parameters: Parameters): string {
  const form = new URLSearchParams(parameters);
  form.sort();
  return form.toString();
}

/** In full: /sso may have a host of its own (SAML_EXTERNAL_URL). @param path of this server, without the slash before it */
export const externalAddress = ({ apiExternalUrl }: { readonly apiExternalUrl: string }, path: string): string =>
  `${apiExternalUrl.replace(/\/+$/, '')}/${path}`;
