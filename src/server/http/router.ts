/** Finds endpoints, those of GET for HEAD, too: a map for fixed paths, a short list for paths with parameters. */

import { type BodyReader, compileBody } from './schema.js';
import type { ObjectSchema, Route } from './types.js';

export interface RouteEntry<Context> {
  readonly route: Route<Context>;
  readonly readBody: BodyReader | null;
}

export interface Match<Context> {
  readonly methods: ReadonlyMap<string, RouteEntry<Context>>;
  /** Allow header of a 405. */
  readonly allow: string;
  readonly params: Readonly<Record<string, string>>;
}

export interface Router<Context> {
  /** @param path decoded. @returns null when no endpoint has this path */
  match(path: string): Match<Context> | null;
  /** The match of a path without parameters. */
  fixed(path: string): Match<Context> | undefined;
}

interface Place<Context> {
  readonly methods: Map<string, RouteEntry<Context>>;
  allow: string;
  readonly params: Readonly<Record<string, string>>;
  readonly segments: readonly Segment[];
}

/** Fixed text, or a parameter: null and its name. */
interface Segment {
  readonly text: string | null;
  readonly name: string;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * @param routes patterns such as `/admin/users/{user_id}`; a parameter is one whole, non-empty segment
 * @throws Error when two endpoints have the same method and path
 */
export function createRouter<Context>(routes: readonly Route<Context>[]): Router<Context> {
  const fixed = new Map<string, Place<Context>>();
  const patterns = new Map<string, Place<Context>>();
  const add = (path: string, route: Route<Context>, readBody: BodyReader | null) => {
    const table = path.includes('{') ? patterns : fixed;
    const segments = path.split('/').map(readSegment);
    const place = table.get(path) ?? { methods: new Map(), allow: '', params: NO_PARAMS, segments };
    if (place.methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${path}`);
    place.methods.set(route.method, { route, readBody });
    if (route.method === 'GET' && route.changesOnGet !== true) place.methods.set('HEAD', { route, readBody });
    place.allow = [...place.methods.keys()].join(', ');
    table.set(path, place);
  };
  for (const route of routes) {
    const readBody = readerOf(route);
    add(route.path, route, readBody);
    if (route.trailingSlash === true) add(`${route.path}/`, route, readBody);
  }
  const list = [...patterns.values()];
  return {
    fixed: (path) => fixed.get(path),
    match(path) {
      const place = fixed.get(path);
      if (place !== undefined) return place;
      const segments = path.split('/');
      for (const pattern of list) {
        const params = matchSegments(pattern.segments, segments);
        if (params !== null) return { methods: pattern.methods, allow: pattern.allow, params };
      }
      return null;
    },
  };
}

/** Compiled once a thread, however many servers it opens. By schema and the fields added: each server makes routes of its own. */
const readers = new WeakMap<ObjectSchema, Map<string, BodyReader>>();

/** Compiles with the first body: all schemas would be a seventh of the start of a thread, and few servers use all endpoints. */
function readerOf<Context>(route: Route<Context>): BodyReader | null {
  const { body: schema } = route;
  if (schema === undefined) return null;
  if (route.wholeBody !== undefined) return readWhole;
  const fields = securityFields(route);
  const known = readers.get(schema) ?? new Map<string, BodyReader>();
  readers.set(schema, known);
  const key = fields.join();
  return (body, errorName) => {
    let reader = known.get(key);
    if (reader === undefined) {
      reader = compileBody(withFields(schema, fields));
      known.set(key, reader);
    }
    return reader(body, errorName);
  };
}

/** The fields of captchas and trusted devices, which no handler reads. They may have any type. */
function securityFields<Context>({ captcha, takesTrustedDevice }: Route<Context>): readonly string[] {
  if (captcha !== undefined) return ['gotrue_meta_security', 'captcha_token'];
  return takesTrustedDevice === true ? ['gotrue_meta_security'] : [];
}

const readWhole: BodyReader = (body) => body as Record<string, unknown>;

function withFields(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(names.map((name) => [name, {}])) } };
}

function readSegment(text: string): Segment {
  const name = /^\{([a-z_]+)\}$/.exec(text)?.[1];
  return name === undefined ? { text, name: '' } : { text: null, name };
}

function matchSegments(pattern: readonly Segment[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const { text, name } = pattern[i]!;
    const segment = segments[i]!;
    if (text === null) {
      if (segment === '') return null;
      params[name] = segment;
    } else if (text !== segment) return null;
  }
  return params;
}
