/**
 * Runs test files one after the other in one process, which has loaded tap, the server and their packages once. Reads a request
 * for each file from standard input; standard output has what tap prints, and after each file a line with its result.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import root from 'tap';
import { type FileReport, type FileRequest, REPORT } from './group-protocol.js';
import { runFile } from './tap.js';

/** proc(5): the 14th to 17th field of stat, in ticks of 10 ms, are the process's own time and that of its ended children. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

// The HTTP engine reads it once, when the first file loads it; the launcher sets it for the real thing.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= '32768';

for await (const line of createInterface({ input: process.stdin })) {
  const { file, timeoutSeconds } = JSON.parse(line) as FileRequest;
  const [startSeconds, startCounts] = [cpuSeconds(), root.counts.toJSON()];
  await runFile(file, () => import(pathToFileURL(file).href), timeoutSeconds);
  const { pass = 0, fail = 0 } = root.counts.toJSON();
  const report: FileReport = {
    passed: pass - (startCounts.pass ?? 0),
    failed: fail - (startCounts.fail ?? 0),
    cpuSeconds: cpuSeconds() - startSeconds,
  };
  process.stdout.write(`\n# ${REPORT}${JSON.stringify(report)}\n`);
}
process.exit();
