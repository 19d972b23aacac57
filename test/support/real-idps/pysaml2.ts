/** pysaml2 (https://pysaml2.readthedocs.io), an identity provider that we did not write, from PyPI. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../client-pools.js';
import { missingProgram } from '../not-here.js';
import type { Test } from '../tap.js';
import { cached, refuseDownload } from '../test-cache.js';
import { programs } from './programs.js';

const VERSION = '7.5.5';
const program = fileURLToPath(new URL('../../../../test/support/real-idps/pysaml2-idp.py', import.meta.url));
const UNREACHABLE = /Could not find a version|Connection|Temporary failure|timed out|Name or service/i;

/** @returns where the packages are; or why they are not */
export async function findPysaml2(): Promise<{ readonly packages: string } | string> {
  if ((await findProgram('python3', '--version')) === null) return missingProgram(...programs.python);
  const version = (await findProgram('python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])')) ?? '';
  const name = `pysaml2-${VERSION}-python${version}`;
  const refused = refuseDownload(name);
  // First: what only runs the download is not needed where it may not be downloaded.
  if (refused !== null) return refused;
  if ((await findProgram('xmlsec1', '--version')) === null) return missingProgram(...programs.xmlsec);
  if ((await findProgram('python3', '-m', 'pip', '--version')) === null) return missingProgram(...programs.pip);
  try {
    // Some of them are compiled for one version of Python.
    const packages = await cached(name, async (folder) => {
      const options = ['--quiet', '--disable-pip-version-check', '--target', folder];
      await promisify(execFile)('python3', ['-m', 'pip', 'install', ...options, `pysaml2==${VERSION}`]);
    });
    return { packages };
  } catch (error) {
    if (UNREACHABLE.test(String(error))) return 'PyPI cannot be reached';
    throw error;
  }
}

export interface Pysaml2 {
  readonly url: string;
  setOptions(options: Readonly<Record<string, boolean>>): Promise<void>;
  state(): Promise<{ readonly sessions: number; readonly answers: readonly object[] }>;
}

/** @param metadata of the service provider. @returns an identity provider that listens */
export async function openPysaml2(
  t: Test,
  { packages }: { readonly packages: string },
  port: number,
  metadata: string,
): Promise<Pysaml2> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pysaml2-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'sp.xml'), metadata);
  const child = spawn('python3', [program, String(port), folder], {
    env: { PATH: process.env['PATH'], PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    t.comment(line);
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', () => resolve());
    void exited.then(() => reject(new Error(`pysaml2 ended:\n${lines.slice(-30).join('\n')}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async setOptions(options) {
      await fetch(`${url}/options`, { method: 'POST', body: new URLSearchParams({ json: JSON.stringify(options) }) });
    },
    state: async () => (await (await fetch(`${url}/state`)).json()) as Awaited<ReturnType<Pysaml2['state']>>,
  };
}
