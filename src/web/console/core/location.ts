/** The address is the state of a page: its path, and filters and cursor in its query. */
import { signal } from '@preact/signals';

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal<Place>(read());

/** @param to path with query. @param isReplaced without an entry of its own in the history */
export function navigate(to: string, isReplaced = false): void {
  const isOther = new URL(to, location.href).pathname !== location.pathname;
  if (isReplaced) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  place.value = read();
  if (isOther) scrollTo(0, 0);
}

/** Changes parameters of the address; null or empty removes one. */
export function setQuery(changes: Readonly<Record<string, string | null>>, isReplaced = false): void {
  navigate(hrefWith(changes), isReplaced);
}

/** The address with other parameters. */
export function hrefWith(changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? place.value.path : `${place.value.path}?${text}`;
}

/** @param pattern as `/users/{user_id}`. @returns its parameters; null: the path is another */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const name = /^\{([a-z_]+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== given[i] : given[i] === '') return null;
    if (name !== undefined) params[name] = decodeURIComponent(given[i]!);
  }
  return params;
}

/** Links within the console change the address without loading the document. */
export function startLocation(): void {
  addEventListener('popstate', () => {
    place.value = read();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
