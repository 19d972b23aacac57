/** The pages of the console, as its source lists them. */
import type { OperatorRole } from '../../../src/server/http/types.js';
import { readSource } from '../source-tree.js';
import type { KnownPage } from './console-state.js';

const LIST = 'src/web/console/pages/index.ts';

/** What leads to a page after `g`. */
export const knownKeys: readonly string[] = [...readSource(LIST).text.matchAll(/ key: '(\w)'/g)].map(([, key]) => key!);

/** An entry has its path first and its role after it. */
export const knownPages: readonly KnownPage[] = [
  ...readSource(LIST).text.matchAll(/path: '(\/[^']*)'[\s\S]*?role: '(\w+)'/g),
].map(([, pattern, role]) => ({ pattern: pattern!, role: role as OperatorRole }));
