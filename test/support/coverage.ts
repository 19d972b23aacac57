/** Coverage of src by V8, of all processes and threads that tests start; c8 reports it and applies the floor of .c8rc.json. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COVERAGE_DIRECTORY_VARIABLE } from './coverage-variable.js';

/**
 * Folders of tests that are not measured: they read files, kill servers or measure time. The processes they start would make
 * a run longer, and they cover little else.
 */
const NOT_MEASURED = /^dist\/test\/(?:conventions|e2e|reliability|security)\//;

/** @param isWhole all tests run */
export const isMeasured = (file: string, isWhole: boolean): boolean => !(isWhole && NOT_MEASURED.test(file));

const SESSION_MODULE = new URL('./coverage-session.js', import.meta.url).href;

export class Coverage {
  readonly #directory = mkdtempSync(join(tmpdir(), 'latchkey-coverage-'));
  readonly #isWhole: boolean;

  /** @param isWhole all tests run: those in {@link NOT_MEASURED} do not count, and the floor applies */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  /** @returns the variables of the process that runs a file; undefined: it is not measured */
  environmentOf(file: string): Record<string, string> | undefined {
    if (!isMeasured(file, this.#isWhole)) return undefined;
    const options = `${process.env['NODE_OPTIONS'] ?? ''} --import=${SESSION_MODULE}`.trim();
    return { NODE_OPTIONS: options, [COVERAGE_DIRECTORY_VARIABLE]: this.#directory };
  }

  /** @returns whether coverage is above the floor, or does not have to be */
  report(root: string): boolean {
    this.#removeHalves();
    const check = this.#isWhole ? '--check-coverage' : '--no-check-coverage';
    const { status } = spawnSync('npx', ['c8', 'report', '--temp-directory', this.#directory, check], {
      cwd: root,
      stdio: 'inherit',
    });
    rmSync(this.#directory, { recursive: true });
    return status === 0;
  }

  /** A process that was killed has written a part of its file. */
  #removeHalves(): void {
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (!readFileSync(path, 'utf8').endsWith('}')) rmSync(path);
    }
  }
}
