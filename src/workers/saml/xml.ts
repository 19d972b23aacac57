/** The only owner of the XML libraries: parses texts strictly, and brings elements into canonical form. */
import { createRequire } from 'node:module';
import type { SamlRefusal } from '../saml-wire.js';

/** As much of a DOM element as is read here. */
export interface XmlElement {
  readonly nodeType: number;
  readonly localName: string;
  readonly prefix: string | null;
  readonly namespaceURI: string | null;
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<XmlElement>;
  readonly attributes: ArrayLike<{
    readonly localName: string;
    readonly namespaceURI: string | null;
    readonly prefix: string | null;
    readonly value: string;
  }>;
  readonly parentNode: XmlElement | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  cloneNode(deep: boolean): XmlElement;
  removeChild(child: XmlElement): void;
}

/** A message that is refused. The detail goes to the log, so it has nothing of the message. */
export class SamlError extends Error {
  readonly refusal: SamlRefusal;
  /** What stood there in place of what was expected, for operators; '' for nothing. */
  readonly found: string | null;

  constructor(refusal: SamlRefusal, detail: string, found: string | null = null) {
    super(detail);
    this.refusal = refusal;
    this.found = found === null ? null : found.slice(0, MAX_FOUND).toWellFormed();
    this.name = 'SamlError';
  }
}

const MAX_FOUND = 300;
const ELEMENT = 1;
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
/** The time of the libraries grows with the square: 60,000 elements take two minutes. */
const MAX_ELEMENTS = 4_000;

export interface Xml {
  /**
   * @param mostElements default: as many as a response may have
   * @throws SamlError malformed
   */
  parse(text: string, mostElements?: number): XmlElement;
  /**
   * The exclusive canonical form without comments (https://www.w3.org/TR/xml-exc-c14n/).
   * @param without a child that is left out
   * @param prefixes whose namespaces are kept also where they are not used
   */
  canonicalise(
    element: XmlElement,
    options: { readonly without?: XmlElement; readonly prefixes: readonly string[] },
  ): string;
  /** Signs the root with RSA-SHA256. @param text one of our own, whose root has an issuer. @param key PEM */
  sign(text: string, key: string): string;
}

/** What is used of the libraries. Their own types bring those of browsers into every file. */
interface NodeSaml {
  signXml(
    text: string,
    xpath: string,
    location: { readonly reference: string; readonly action: 'after' },
    options: { readonly privateKey: string; readonly signatureAlgorithm: 'sha256'; readonly digestAlgorithm: 'sha256' },
  ): string;
}
interface XmlCrypto {
  readonly ExclusiveCanonicalization: new () => {
    process(
      element: XmlElement,
      options: { readonly inclusiveNamespacesPrefixList: readonly string[]; readonly ancestorNamespaces: Namespace[] },
    ): string;
  };
}
interface Namespace {
  readonly prefix: string;
  readonly namespaceURI: string;
}
interface XmlDom {
  readonly DOMParser: new (
    options: object,
  ) => {
    parseFromString(text: string, type: string): { readonly documentElement: XmlElement | null } | undefined;
  };
}

/** Loads the libraries; so they are not loaded where they are not used. */
export function loadXml(): Xml {
  // An import would bring their types.
  const require = createRequire(import.meta.url);
  const { ExclusiveCanonicalization } = require('xml-crypto') as XmlCrypto;
  const { DOMParser } = require('@xmldom/xmldom') as XmlDom;
  const refuse = (message: string): never => {
    throw new SamlError('malformed', `XML: ${message.replace(/\s+/g, ' ').slice(0, 60)}`);
  };
  const errorHandler = { warning: refuse, error: refuse, fatalError: refuse };
  return {
    parse(text, mostElements = MAX_ELEMENTS) {
      assertHarmless(text, mostElements);
      // The library leaves it to its callers (https://www.w3.org/TR/xml/#sec-line-ends).
      const lines = text.replace(/\r\n?/g, '\n');
      const root = new DOMParser({ errorHandler }).parseFromString(lines, 'text/xml')?.documentElement;
      if (!root) throw new SamlError('malformed', 'it has no element');
      assertPrefixes(root);
      return root;
    },
    canonicalise(element, { without, prefixes }) {
      // What is read later must not have changed.
      const copy = element.cloneNode(true);
      if (without !== undefined) copy.removeChild(copy.childNodes[Array.from(element.childNodes).indexOf(without)]!);
      return new ExclusiveCanonicalization().process(copy, {
        inclusiveNamespacesPrefixList: prefixes,
        ancestorNamespaces: namespacesAbove(element),
      });
    },
    sign(text, privateKey) {
      // Seldom, and this one takes 17 packages.
      const { signXml } = require('@node-saml/node-saml/lib/xml.js') as NodeSaml;
      return signXml(
        text,
        '/*',
        { reference: "/*/*[local-name(.)='Issuer']", action: 'after' },
        { privateKey, signatureAlgorithm: 'sha256', digestAlgorithm: 'sha256' },
      );
    },
  };
}

/** Those that an element inherits, without those that it declares itself. */
function namespacesAbove(element: XmlElement): Namespace[] {
  const found = new Map<string, string>();
  const own = new Set(declarationsOf(element).map(([prefix]) => prefix));
  for (let above = element.parentNode; above?.nodeType === ELEMENT; above = above.parentNode) {
    for (const [prefix, uri] of declarationsOf(above)) if (!found.has(prefix)) found.set(prefix, uri);
  }
  return [...found]
    .filter(([prefix, uri]) => uri !== '' && !own.has(prefix))
    .map(([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}

const declarationsOf = ({ attributes }: XmlElement): [prefix: string, uri: string][] =>
  Array.from(attributes)
    .filter(({ namespaceURI, prefix }) => namespaceURI === 'http://www.w3.org/2000/xmlns/' && prefix === 'xmlns')
    .map(({ localName, value }) => [localName, value]);

/**
 * Before anything is parsed: no document type, whose entities grow or read files, and no depth that exhausts the stack.
 * Deeper down the libraries call themselves.
 */
function assertHarmless(text: string, mostElements: number): void {
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new SamlError('malformed', 'it has a document type');
  assertCharacters(text);
  let depth = 0;
  let elements = 0;
  for (let at = text.indexOf('<'); at !== -1; ) {
    const [end, change] = readTag(text, at);
    depth += change;
    if (change !== -1) elements += 1;
    if (elements > mostElements) throw new SamlError('malformed', 'it has too many elements');
    if (depth > MAX_DEPTH) throw new SamlError('malformed', 'it is too deep');
    at = text.indexOf('<', end);
  }
}

const NO_CHARACTER = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const REFERENCES = /&#(?:x([0-9a-fA-F]+);|([0-9]+);)?/g;

/** The library also takes characters that XML does not have (https://www.w3.org/TR/xml/#charsets), and the database does not. */
function assertCharacters(text: string): void {
  const isReferenceWrong = ([, hex, decimal]: RegExpMatchArray): boolean => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (!(code <= 0x10ffff)) return true;
    const character = String.fromCodePoint(code);
    return NO_CHARACTER.test(character) || !character.isWellFormed();
  };
  if (NO_CHARACTER.test(text) || Array.from(text.matchAll(REFERENCES)).some(isReferenceWrong)) {
    throw new SamlError('malformed', 'it has a character that XML does not have');
  }
}

/** The library also takes prefixes that nothing declares (https://www.w3.org/TR/xml-names/#ns-qualnames). */
function assertPrefixes(root: XmlElement): void {
  const isUndeclared = ({ prefix, namespaceURI }: Pick<XmlElement, 'prefix' | 'namespaceURI'>): boolean =>
    Boolean(prefix) && !namespaceURI;
  for (const element of everyElement(root)) {
    if (isUndeclared(element) || Array.from(element.attributes).some(isUndeclared)) {
      throw new SamlError('malformed', 'a prefix is not declared');
    }
  }
}

/** @returns the end of what begins there, and by how much it changes the depth */
function readTag(text: string, at: number): [end: number, change: -1 | 0 | 1] {
  const upTo = (mark: string, from = at): number => {
    const end = text.indexOf(mark, from);
    if (end === -1) throw new SamlError('malformed', 'it is incomplete');
    return end + mark.length;
  };
  if (text.startsWith('<!--', at)) return [upTo('-->', at + '<!--'.length), 0];
  if (text.startsWith('<![CDATA[', at)) return [upTo(']]>'), 0];
  if (text.startsWith('<?', at)) return [upTo('?>'), 0];
  let end = at + 1;
  let attributes = 0;
  for (let quote = ''; end < text.length; end++) {
    const character = text[end]!;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
      attributes += 1;
    } else if (character === '>') break;
    else if (character === '<') throw new SamlError('malformed', 'a tag is not closed');
  }
  if (end >= text.length) throw new SamlError('malformed', 'it is incomplete');
  if (attributes > MAX_ATTRIBUTES) throw new SamlError('malformed', 'an element has too many attributes');
  if (text[at + 1] === '/') return [end, -1];
  return [end, text[end - 1] === '/' ? 0 : 1];
}

const isElement = (node: XmlElement): boolean => node.nodeType === ELEMENT;

export const childElements = (parent: XmlElement): XmlElement[] => Array.from(parent.childNodes).filter(isElement);

/** Direct children of that name. */
export const childrenOf = (parent: XmlElement, namespace: string, name: string): XmlElement[] =>
  childElements(parent).filter((child) => child.localName === name && child.namespaceURI === namespace);

/** All elements below, and the element itself, in the order of the document. */
export function everyElement(root: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    for (const child of childElements(next).reverse()) waiting.push(child);
  }
  return found;
}

/** Text of an element without the white space around it; '' for one with elements in it. */
export const textOf = (element: XmlElement | undefined): string =>
  element === undefined || childElements(element).length > 0 ? '' : (element.textContent ?? '').trim();
