import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { t } from '../support/tap.js';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

t.test('a Node that is too old is an error with the required version', async (t) => {
  for (const version of ['18.20.8', '20.11.1']) {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
    await t.rejects(promisify(execFile)(process.execPath, ['-e', `${older} require(${JSON.stringify(launcher)});`]), {
      code: 2,
      stdout: '',
      stderr: `latchkey: needs Node 20.12 or newer; this is Node ${version}.\n`,
    });
  }
});
