/** What the value of an HTML attribute is, by its name. */

/** plain: text; meta: `content` of a meta element, which may hold a URL to go to; type: of a script element. */
export type AttributeKind = 'plain' | 'url' | 'srcset' | 'js' | 'css' | 'meta' | 'type';

const URL_ATTRIBUTES = new Set(
  'action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src usemap xmlns'.split(
    ' ',
  ),
);
/** They look like URLs. */
const NO_URLS = new Set(['srclang', 'srcdoc']);
/** Attributes that change what an element does, so that no value may become their name. */
const UNSAFE_NAMES = new Set(
  'accept-charset async challenge charset content crossorigin defer enctype form formenctype formmethod formnovalidate http-equiv keytype language method novalidate pattern rel required sandbox srcdoc type value'.split(
    ' ',
  ),
);

/** @param name in lower case; a part of one before a value counts as the whole @param element in lower case */
export function attributeKind(name: string, element: string): AttributeKind {
  if (element === 'script' && name === 'type') return 'type';
  if (element === 'meta' && name === 'content') return 'meta';
  if (name.startsWith('xmlns:')) return 'url';
  // data-href and xlink:href are as dangerous as href: scripts copy them.
  const short = name.startsWith('data-') ? name.slice('data-'.length) : name.replace(/^[^:]*:/, '');
  if (short === 'style') return 'css';
  if (short === 'srcset') return 'srcset';
  if (URL_ATTRIBUTES.has(short)) return 'url';
  if (short.startsWith('on')) return 'js';
  return /src|uri|url/.test(short) && !NO_URLS.has(short) ? 'url' : 'plain';
}

/** In place of a name that is not allowed. */
const REJECTED_NAME = 'data-rejected';

/**
 * A value as the name of an attribute: letters and digits, and what the whole name says about its value is known.
 * @param prefix what the name begins with
 */
export function filterName(prefix: string, value: string): string {
  const end = value.toLowerCase();
  const name = prefix + end;
  const isKnown = attributeKind(name, '') === (prefix === '' ? 'plain' : attributeKind(prefix, ''));
  return /^[a-z0-9]+$/.test(end) && isKnown && !UNSAFE_NAMES.has(name) ? end : REJECTED_NAME;
}
