import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { t } from '../support/tap.js';

const helper = import.meta.resolve('../support/child-groups.js');
const program = `
  import { spawn } from 'node:child_process';
  import { endWithTest } from '${helper}';
  const child = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  endWithTest(child);
  // Its line is passed on when a signal would end it.
  child.stdout.pipe(process.stdout);
`;

t.test('a signal to a test ends the processes of its groups', async (t) => {
  const test = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = (await once(createInterface({ input: test.stdout }), 'line')) as [string];
  t.doesNotThrow(() => process.kill(Number(line), 0), 'it runs');
  // All that could write to the pipe of errors have ended when it closes.
  const closed = once(test, 'close');
  test.kill('SIGTERM');
  t.same(await closed, [null, 'SIGTERM']);
});
