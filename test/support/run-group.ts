/**
 * Runs test files one after the other in one process, which has loaded tap, the server and their packages once. Reads a request
 * for each file from standard input; standard output has what tap prints, and after each file a line with its result.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import root from 'tap';
import { type FileReport, type FileRequest, REPORT } from './group-protocol.js';
import { readProcessSeconds } from './process-time.js';
import { runFile } from './tap.js';

/** What fails outside of a test, such as work that a file before has left behind, is printed a moment after it is counted. */
const LATE_PRINT_MS = 100;

for await (const line of createInterface({ input: process.stdin })) {
  const { file, timeoutSeconds } = JSON.parse(line) as FileRequest;
  const [startSeconds, startCounts] = [readProcessSeconds('self'), root.counts.toJSON()];
  await runFile(file, () => import(pathToFileURL(file).href), timeoutSeconds);
  const { pass = 0, fail = 0 } = root.counts.toJSON();
  if (fail > (startCounts.fail ?? 0)) await sleep(LATE_PRINT_MS);
  const report: FileReport = {
    passed: pass - (startCounts.pass ?? 0),
    failed: fail - (startCounts.fail ?? 0),
    cpuSeconds: readProcessSeconds('self') - startSeconds,
  };
  process.stdout.write(`\n# ${REPORT}${JSON.stringify(report)}\n`);
}
process.exit();
