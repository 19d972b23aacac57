import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

t.test('a Node that is too old is named, and which one is needed', async (t) => {
  const older = `delete require('node:crypto').hash; require(${JSON.stringify(launcher)});`;
  await t.rejects(promisify(execFile)(process.execPath, ['-e', older]), {
    code: 2,
    stdout: '',
    stderr: `latchkey: needs Node 20.12 or newer, or Node 22; this is Node ${process.versions.node}.\n`,
  });
});
