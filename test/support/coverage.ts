/** Coverage of src by V8, of all processes and threads that tests start; c8 reports it and applies the floor of .c8rc.json. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Folders of tests that are not measured: they read files, kill servers or measure time. The processes they start would make
 * a run longer, and they cover little else.
 */
const NOT_MEASURED = /^dist\/test\/(?:conventions|e2e|reliability|security)\//;

interface V8Coverage {
  readonly result: readonly { readonly url: string }[];
}

export class Coverage {
  readonly #directory = mkdtempSync(join(tmpdir(), 'latchkey-coverage-'));
  readonly #isWhole: boolean;

  /** @param isWhole all tests run: those in {@link NOT_MEASURED} do not count, and the floor applies */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  /** @returns the variables of the process that runs a file */
  environmentOf(file: string): Record<string, string> {
    if (this.#isWhole && NOT_MEASURED.test(file)) return {};
    return { NODE_V8_COVERAGE: this.#rawDirectoryOf(file) };
  }

  /** Collects the coverage of a file's processes, reduced to src: 5 % of what they wrote. */
  collect(file: string): void {
    const raw = this.#rawDirectoryOf(file);
    for (const name of listFiles(raw)) {
      const text = readFileSync(join(raw, name), 'utf8');
      // A process that was killed has written half of it.
      if (!text.endsWith('}')) continue;
      const { result } = JSON.parse(text) as V8Coverage;
      const own = result.filter(({ url }) => url.includes('/dist/src/'));
      writeFileSync(join(this.#directory, name), JSON.stringify({ result: own }));
    }
    rmSync(raw, { recursive: true, force: true });
  }

  /** @returns whether coverage is above the floor, or does not have to be */
  report(root: string): boolean {
    rmSync(join(this.#directory, 'raw'), { recursive: true, force: true });
    const check = this.#isWhole ? '--check-coverage' : '--no-check-coverage';
    const { status } = spawnSync('npx', ['c8', 'report', '--temp-directory', this.#directory, check], {
      cwd: root,
      stdio: 'inherit',
    });
    rmSync(this.#directory, { recursive: true });
    return status === 0;
  }

  #rawDirectoryOf(file: string): string {
    return join(this.#directory, 'raw', file.replaceAll(/[/\\]/g, '-'));
  }
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
