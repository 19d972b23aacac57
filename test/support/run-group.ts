/**
 * Runs test files one after the other in one process, which has loaded tap, the server and their packages once. Reads a request
 * for each file from standard input; standard output has what tap prints, and after each file a line with its result.
 */
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import root from 'tap';
import { type FileReport, type FileRequest, NO_FILE, REPORT } from './group-protocol.js';
import { readProcessSeconds } from './process-time.js';
import { runFile } from './tap.js';

/** When the report before was written. */
let reported = { seconds: readProcessSeconds('self'), passed: 0, failures: 0 };

/**
 * Prints what failed outside of the file's test, such as work that a file before has left behind, and the result: tap counts such a
 * failure one file late.
 */
function report(file: string): void {
  const failures = root.lists.fail.slice(reported.failures);
  for (const { name, fullname, diag } of failures) {
    if (fullname.includes(file)) continue;
    process.stdout.write(`\nnot ok - outside of the file: ${name}\n${JSON.stringify(diag, undefined, 2)}\n`);
  }
  const now = {
    seconds: readProcessSeconds('self'),
    passed: root.counts.toJSON().pass ?? 0,
    failures: root.lists.fail.length,
  };
  const result: FileReport = {
    passed: now.passed - reported.passed,
    failed: failures.length,
    cpuSeconds: now.seconds - reported.seconds,
  };
  reported = now;
  process.stdout.write(`\n# ${REPORT}${JSON.stringify(result)}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, timeoutSeconds } = JSON.parse(line) as FileRequest;
  await runFile(file, () => import(pathToFileURL(file).href), timeoutSeconds);
  report(file);
}
// What the last file has left behind is counted now.
root.end();
await setImmediate();
report(NO_FILE);
process.exit();
