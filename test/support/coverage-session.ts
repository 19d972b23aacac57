/**
 * Loaded by NODE_OPTIONS into every process and thread that is measured (coverage.ts): counts what runs of src, and writes
 * that at the end. NODE_V8_COVERAGE writes it for all packages, which takes a fourth more processor time.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { COVERAGE_DIRECTORY_VARIABLE } from './coverage-variable.js';

const directory = process.env[COVERAGE_DIRECTORY_VARIABLE];
if (directory !== undefined) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const write = (_error: Error | null, { result }: Profiler.TakePreciseCoverageReturnType): void => {
    const own = result.filter(({ url }) => url.includes('/dist/src/'));
    writeFileSync(join(directory, `coverage-${randomUUID()}.json`), JSON.stringify({ result: own }));
  };
  process.on('exit', () => session.post('Profiler.takePreciseCoverage', write));
}
