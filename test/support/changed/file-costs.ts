/** What each test file took when it last ran on this machine, so that a pick fits its time. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Processor time by source path of the test file. */
export type FileCosts = Readonly<Record<string, number>>;

/** Of a file that has not run here, by folder: about the median of a run of all. */
const USUAL_SECONDS: FileCosts = { unit: 1, providers: 1, conventions: 1, db: 2, security: 3, e2e: 5, reliability: 5 };
const OTHER_SECONDS = 4;
/** A browser outlives the file, so that its time is not in what the file took. */
const BROWSER_SHARE = 3;

/** @returns none when nothing has been written yet */
export function readFileCosts(path: string): FileCosts {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FileCosts;
  } catch {
    return {};
  }
}

/** Adds the costs of a run to those of earlier ones. */
export function writeFileCosts(path: string, costs: FileCosts): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...readFileCosts(path), ...costs })}\n`);
}

/** @param file `test/unit/x.test.ts` */
export function costOf(file: string, costs: FileCosts): number {
  const folder = file.split('/')[1] ?? '';
  const seconds = costs[file] ?? USUAL_SECONDS[folder] ?? OTHER_SECONDS;
  return folder === 'e2e' ? seconds * BROWSER_SHARE : seconds;
}
