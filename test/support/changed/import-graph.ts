/** Who imports, loads, starts or reads which file, by the text of the files. */
import { dirname, join } from 'node:path/posix';
import type { SourceFile } from '../source-tree.js';

/** `from './x.js'`, `import './x.js'`, `import('./x.js')`. */
const IMPORT = /^(?:import|export)\s([^'";]*?)from '([^']+)'|^import '([^']+)'|\bimport\((?:'([^']+)'|`([^`$]+)`)\)/gm;
/** What takes types alone, which the compiler checks: `type { A }`, `{ type A, type B }`. */
const TYPES = /^type\s|^\{(?:\s*type [^,}]+,?)+\s*\}\s*$/;
/** Modules of threads and processes, launchers, folders that are read. */
const LOADED = /new URL\(['`]([^'`$]+)['`], import\.meta\.url\)/g;
/** Files and folders that tests name from the root of the repository: `readSource('docs/api.md')`. */
const NAMED =
  /['"`/](?:dist\/)?((?:src|test|bench|bin|sql|docs|examples|clients|deploy|\.ci|\.github)\/[\w./-]+)['"`]/g;
/** `users.known_caller`, a statement of sql/queries/users.sql. */
const STATEMENT = /['"`]([a-z][a-z-]*)\.[a-z][a-z0-9_]*['"`]/g;

const QUERIES = 'sql/queries/';
/** Each is imported; only tests of the sources read the folder whole. */
const isModule = (path: string): boolean => /^(?:src|test|bench|clients)\/.*\.ts$/.test(path) && !isAsset(path);
/** The server sends the folder as it was built, whichever file a test asks for. */
const isAsset = (path: string): boolean => path.startsWith('src/web/');

/** A module that reaches this part of src/server, or imports as many of its files itself, leads to everything. */
const WHOLE_SERVER_SHARE = 0.5;
const WHOLE_SERVER_IMPORTS = 30;

export class ImportGraph {
  readonly files: ReadonlyMap<string, string>;
  readonly #uses = new Map<string, ReadonlySet<string>>();
  #users: Map<string, string[]> | undefined;
  #wholeServer: ReadonlySet<string> | undefined;

  /** @param files sources, SQL and launchers, all that is to be found in the graph */
  constructor(files: readonly SourceFile[]) {
    this.files = new Map(files.map(({ path, text }) => [path, text]));
    for (const { path, text } of files) this.#uses.set(path, this.#readUses(path, text));
  }

  /** The files and folders that a file uses itself. */
  usesOf(path: string): ReadonlySet<string> {
    return this.#uses.get(path) ?? new Set();
  }

  /** The modules that start the whole server, so that what they reach says nothing of what a test is about. */
  get wholeServer(): ReadonlySet<string> {
    this.#wholeServer ??= this.#findWholeServer();
    return this.#wholeServer;
  }

  /**
   * How far each file is from a changed one: 1 when it uses the file, or a folder it is in, itself.
   * @param isThroughServer whether ways through modules that start the whole server count
   */
  distancesTo(changed: string, isThroughServer: boolean): ReadonlyMap<string, number> {
    const distances = new Map([[changed, 0]]);
    for (const path of distances.keys()) {
      const isEnd = path !== changed && !isThroughServer && this.wholeServer.has(path);
      if (isEnd) continue;
      for (const user of this.#usersOf(path, isThroughServer)) {
        if (!distances.has(user)) distances.set(user, distances.get(path)! + 1);
      }
    }
    return distances;
  }

  #usersOf(path: string, isThroughServer: boolean): readonly string[] {
    if (this.#users === undefined) {
      this.#users = new Map();
      for (const [user, uses] of this.#uses) {
        for (const used of uses) this.#users.set(used, [...(this.#users.get(used) ?? []), user]);
      }
    }
    const users = [...(this.#users.get(path) ?? [])];
    if (path.startsWith(QUERIES) || isModule(path) || (isAsset(path) && !isThroughServer)) return users;
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      users.push(...(this.#users.get(folder) ?? []));
    }
    return users;
  }

  #readUses(path: string, text: string): Set<string> {
    const uses = new Set<string>();
    const add = (target: string): void => {
      const used = this.#resolve(target);
      if (used !== path) uses.add(used);
    };
    for (const [, names, from, bare, lazy, template] of text.matchAll(IMPORT)) {
      const specifier = from ?? bare ?? lazy ?? template!;
      if (specifier.startsWith('.') && !TYPES.test(names ?? '')) add(join(dirname(path), specifier));
    }
    // Compiled modules are a folder deeper, in dist.
    for (const [, specifier] of text.matchAll(LOADED)) add(join('dist', dirname(path), specifier!));
    if (!path.startsWith('src/')) for (const [, name] of text.matchAll(NAMED)) add(name!);
    for (const [, name] of text.matchAll(STATEMENT)) {
      const queries = `${QUERIES}${name}.sql`;
      if (this.files.has(queries)) add(queries);
    }
    return uses;
  }

  /** `dist/src/x.js` → src/x.ts; a folder loses its slash. */
  #resolve(target: string): string {
    const path = target.replace(/^dist\//, '').replace(/\/$/, '');
    const sources = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
    return sources.find((source) => this.files.has(source)) ?? path;
  }

  #findWholeServer(): Set<string> {
    const server = [...this.files.keys()].filter((path) => path.startsWith('src/server/'));
    const whole = new Set<string>();
    for (const path of this.files.keys()) {
      const reached = new Set([path]);
      let count = 0;
      for (const each of reached) {
        if (each.startsWith('src/server/')) count += 1;
        for (const used of this.usesOf(each)) reached.add(used);
      }
      const imports = [...this.usesOf(path)].filter((used) => used.startsWith('src/server/')).length;
      if (count >= server.length * WHOLE_SERVER_SHARE || imports >= WHOLE_SERVER_IMPORTS) whole.add(path);
    }
    return whole;
  }
}
