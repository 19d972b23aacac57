import { posix } from 'node:path';
import { type ImportUse, parseSource, readImports } from './read-imports.js';
import type { SourceFile } from './source-tree.js';

/** A place in the tree: a folder with all below it (`src/db/`), the files right in it (`src/server/*`), or one file. */
export type Place = string;

export interface Room {
  readonly name: string;
  readonly at: Place;
  /** What its files may import, besides their own room. */
  readonly imports: readonly Place[];
  /** What its files may name in an `import type`, besides. */
  readonly types: readonly Place[];
}

export interface ImportTable {
  readonly rooms: readonly Room[];
  /** Package, or `node:` module → the places that may import it. A package that is missing here may not be imported. */
  readonly owners: Readonly<Record<string, readonly Place[]>>;
  /** Files that do something when they are loaded; nobody imports them. */
  readonly entries: readonly string[];
}

/**
 * Holds the imports of a tree of sources against the table.
 * @returns one sentence for each import that is not permitted, and for each circle of imports
 */
export function findForbiddenImports(files: readonly SourceFile[], table: ImportTable): string[] {
  const known = new Set(files.map(({ path }) => path));
  const graph = new Map<string, string[]>();
  const faults: string[] = [];
  for (const { path, text } of files) {
    const room = roomOf(path, table.rooms);
    if (room === undefined) {
      faults.push(`${path} is in no room of the import table`);
      continue;
    }
    const neighbours: string[] = [];
    for (const use of readImports(parseSource(path, text))) {
      const where = `${path}:${use.line}`;
      const target = use.specifier === null ? null : resolveSpecifier(path, use.specifier);
      if (target === null) faults.push(`${where} loads a module whose name is computed`);
      else if (!/^[./]/.test(use.specifier!)) faults.push(...findForbiddenPackage(where, path, target, table));
      else {
        for (const file of target.endsWith('/*.ts') ? besides(path, known) : [target]) {
          if (!use.isTypeOnly) neighbours.push(file);
          faults.push(...findForbiddenFile(where, room, file, use, table, known));
        }
      }
    }
    graph.set(path, neighbours);
  }
  return [...faults, ...findCircles(graph)];
}

/** The other files of a file's folder. */
function besides(path: string, known: ReadonlySet<string>): string[] {
  return [...known].filter((other) => other !== path && posix.dirname(other) === posix.dirname(path));
}

/** Whether a file lies in a place. */
export function isWithin(path: string, place: Place): boolean {
  if (place.endsWith('/*')) return posix.dirname(path) === place.slice(0, -2);
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

/** The most exact place wins: a row for one file stands above the row of its folder. */
function roomOf(path: string, rooms: readonly Room[]): Room | undefined {
  const found = rooms.filter(({ at }) => isWithin(path, at));
  return found.sort((a, b) => b.at.length - a.at.length)[0];
}

/** A relative specifier becomes the path of the TypeScript file; anything else the name of its package or module. */
function resolveSpecifier(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function findForbiddenPackage(where: string, path: string, name: string, { owners }: ImportTable): string[] {
  if (!Object.hasOwn(owners, name)) {
    return name.startsWith('node:') ? [] : [`${where} imports ${name}, which has no owner in the import table`];
  }
  const places = owners[name]!;
  if (places.some((place) => isWithin(path, place))) return [];
  return [`${where} imports ${name}, which belongs to ${places.join(', ') || 'nobody'}`];
}

function findForbiddenFile(
  where: string,
  room: Room,
  target: string,
  use: ImportUse,
  { rooms, entries }: ImportTable,
  known: ReadonlySet<string>,
): string[] {
  if (!target.startsWith('src/')) return [`${where} imports ${target}, which is outside src`];
  if (!known.has(target)) return [`${where} imports ${target}, which does not exist`];
  if (!use.isTypeOnly && entries.includes(target)) return [`${where} imports ${target}, which starts something`];
  const permitted = use.isTypeOnly ? [...room.imports, ...room.types] : room.imports;
  if (roomOf(target, rooms) === room || permitted.some((place) => isWithin(target, place))) return [];
  return [`${where}: ${room.name} may not import ${use.isTypeOnly ? 'types of ' : ''}${target}`];
}

function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push(`${[...trail.slice(start), path].join(' → ')} is a circle`);
    if (start >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return circles;
}
