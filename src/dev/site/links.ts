/** Links between the files of the repository, as links between the pages of the site. */
import { posix } from 'node:path';
import { sitePages, sitePlaceOf } from './tree.js';

/** Folder of the site with the files that pages link to and that are no pages. */
export const FILES = 'files';

const places = new Map(sitePages.map(({ source }) => [source, sitePlaceOf(source)]));
const sources = new Map(sitePages.map(({ source }) => [sitePlaceOf(source), source]));

export type SiteLink =
  /** To a page of the site, relative to the page with the link. */
  | { readonly kind: 'page'; readonly href: string }
  /** To a file, of which the site has a copy. `path` is from the root of the repository. */
  | { readonly kind: 'file'; readonly path: string }
  /** To another site, or within the page. */
  | { readonly kind: 'other' };

/**
 * @param place of the page with the link, on the site. @param href as it is in the markdown
 * @throws Error when the place is that of no page
 */
export function readLink(place: string, href: string): SiteLink {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return { kind: 'other' };
  const source = sources.get(place);
  if (source === undefined) throw new Error(`${place} is not a page of the site`);
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  const page = places.get(target) ?? places.get(`${target}/README.md`);
  if (page === undefined) return { kind: 'file', path: target };
  const relative = posix.relative(posix.dirname(place), page);
  return { kind: 'page', href: `./${relative}${anchor === undefined ? '' : `#${anchor}`}` };
}
