import { assertPoolServed, findProgram } from '../support/client-pools.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { t } from '../support/tap.js';

const ROUNDS = 20;
/** One run of curl sends all, over one connection as long as that is kept. */
const requestsTo = (url: string): string[] =>
  Array.from({ length: ROUNDS }, () => [[], ['-H', 'Connection: TE, close'], ['-H', 'Connection: close']])
    .flat()
    .flatMap((header, n) => [
      ...(n === 0 ? [] : ['--next']),
      ...['-s', '-S', '--fail', '-o', '/dev/null', '-w', '%{http_code}\n', '-d', '{"email":"a"}', ...header, url],
    ]);
const script = '"$@" | sort | uniq -c | { read count status; echo "$count answers of $status"; }';

if ((await findProgram('curl', '--version')) === null) {
  skipHere(t, missingProgram('curl', 'curl'));
} else {
  t.test('REL-31 a run of curl over one connection', async (t) => {
    await assertPoolServed(t, '/bin/sh', (url) => ['-c', script, 'sh', 'curl', ...requestsTo(url)], 3 * ROUNDS);
  });
}
