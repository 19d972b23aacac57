/**
 * Runs test files one after the other in one process, which has loaded tap, the server and their packages once. Reads a request
 * for each file from standard input; standard output has what tap prints, and after each file a line with its result.
 */
import './without-domains.js';

import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import root from 'tap';
import { type FileReport, type FileRequest, NO_FILE, REPORT } from './group-protocol.js';
import { readProcessSeconds } from './process-time.js';
import { runFile } from './tap.js';

/** When the report before was written. */
let reported = { seconds: readProcessSeconds('self'), passed: 0, failures: 0 };

/** The file that runs. */
let running = NO_FILE;

/**
 * Prints what failed outside of the file's test, such as work that a file before has left behind, and the result: tap counts such a
 * failure one file late.
 * @param uncaught errors that no test has caught
 */
function report(file: string, uncaught = 0): void {
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
    endsProcess: uncaught > 0,
    passed: now.passed - reported.passed,
    failed: failures.length + uncaught,
    cpuSeconds: now.seconds - reported.seconds,
  };
  reported = now;
  process.stdout.write(`\n# ${REPORT}${JSON.stringify(result)}\n`);
}

// A test that waits for what will not come any more is not waited for.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.stdout.write(`\nnot ok - an error that no test has caught: ${inspect(error)}\n`);
    report(running, 1);
    // tap would go on to print what has not ended.
    process.kill(process.pid, 'SIGKILL');
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, timeoutSeconds } = JSON.parse(line) as FileRequest;
  running = file;
  await runFile(file, () => import(pathToFileURL(file).href), timeoutSeconds);
  report(file);
}
// What the last file has left behind is counted now.
running = NO_FILE;
root.end();
await setImmediate();
report(NO_FILE);
process.exit();
