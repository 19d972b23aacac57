/**
 * Runs test files one after the other in one process, which has loaded tap, the server and their packages once. Reads a request
 * for each file from standard input; standard output has what tap prints, and after each file a line with its result.
 */
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import root from 'tap';
import { type FileReport, type FileRequest, REPORT } from './group-protocol.js';
import { readProcessSeconds } from './process-time.js';
import { runFile } from './tap.js';

/** Prints what failed outside of the file's test, such as work that a file before has left behind: tap counts it one file late. */
function printOthers(
  failures: readonly { readonly name: string; readonly fullname: string; readonly diag: unknown }[],
  file: string,
): void {
  const lines = failures
    .filter(({ fullname }) => !fullname.includes(file))
    .map(({ name, diag }) => `\nnot ok - outside of the file: ${name}\n${JSON.stringify(diag, undefined, 2)}\n`);
  process.stdout.write(lines.join(''));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, timeoutSeconds } = JSON.parse(line) as FileRequest;
  const [startSeconds, startCounts] = [readProcessSeconds('self'), root.counts.toJSON()];
  const startFailures = root.lists.fail.length;
  await runFile(file, () => import(pathToFileURL(file).href), timeoutSeconds);
  const { pass = 0, fail = 0 } = root.counts.toJSON();
  printOthers(root.lists.fail.slice(startFailures), file);
  const report: FileReport = {
    passed: pass - (startCounts.pass ?? 0),
    failed: fail - (startCounts.fail ?? 0),
    cpuSeconds: readProcessSeconds('self') - startSeconds,
  };
  process.stdout.write(`\n# ${REPORT}${JSON.stringify(report)}\n`);
}
process.exit();
