/**
 * scim2-tester (https://scim2-tester.readthedocs.io) and scim-sanity, which check servers of SCIM, and scim2-client, with which the former
 * calls them. We have written none of them; they come from PyPI.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../client-pools.js';
import { missingProgram } from '../not-here.js';
import { cached, refuseDownload } from '../test-cache.js';
import { programs } from './programs.js';

const [TESTER, SANITY] = ['0.5.2', '0.7.4'];
const programAt = (name: string): string =>
  fileURLToPath(new URL(`../../../../test/support/real-idps/${name}.py`, import.meta.url));
const UNREACHABLE = /Could not find a version|Connection|Temporary failure|timed out|Name or service/i;
const run = promisify(execFile);
const MAX_OUTPUT = 16 * 1_048_576;

/** Where the Python is that has the packages. */
export interface ScimSuites {
  readonly python: string;
}

/** @returns why they are not there, if they are not */
export async function findScimSuites(): Promise<ScimSuites | string> {
  if ((await findProgram('python3', '--version')) === null) return missingProgram(...programs.python);
  const version = (await findProgram('python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])')) ?? '';
  const name = `scim-suites-${TESTER}-${SANITY}-python${version}`;
  const refused = refuseDownload(name);
  if (refused !== null) return refused;
  if ((await findProgram('python3', '-m', 'pip', '--version')) === null) return missingProgram(...programs.pip);
  try {
    const folder = await cached(name, async (made) => {
      const options = ['--quiet', '--disable-pip-version-check', '--target', made];
      await run('python3', [
        '-m',
        'pip',
        'install',
        ...options,
        `scim2-tester[httpx2]==${TESTER}`,
        `scim-sanity==${SANITY}`,
      ]);
    });
    return { python: folder };
  } catch (error) {
    if (UNREACHABLE.test(String(error))) return 'PyPI cannot be reached';
    throw error;
  }
}

/** What a suite has found about one thing. */
export interface SuiteResult {
  readonly status: string;
  readonly title: string;
  readonly reason: string;
}

const environmentOf = ({ python }: ScimSuites) => ({
  PATH: process.env['PATH'],
  PYTHONPATH: python,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONWARNINGS: 'ignore',
});

/** @param url of the server, with /scim/v2 */
export async function runScim2Tester(suites: ScimSuites, url: string, token: string): Promise<readonly SuiteResult[]> {
  const options = { env: environmentOf(suites), maxBuffer: MAX_OUTPUT };
  const { stdout } = await run('python3', [programAt('scim-tester'), url, token], options);
  return JSON.parse(stdout);
}

/** @param profile of scim-sanity, or null */
export async function runScimSanity(
  suites: ScimSuites,
  url: string,
  token: string,
  profile: string | null,
): Promise<readonly SuiteResult[]> {
  const chosen = profile === null ? [] : ['--profile', profile];
  const asked = ['probe', url, '--token', token, '--json-output', '--i-accept-side-effects', ...chosen];
  const options = { env: environmentOf(suites), maxBuffer: MAX_OUTPUT };
  // It ends with 1 where a check has failed, which the output says.
  const { stdout } = await run('python3', ['-m', 'scim_sanity', ...asked], options).catch(
    (error: { stdout?: string; message: string }) => {
      if (!error.stdout?.includes('{')) throw error;
      return { stdout: error.stdout };
    },
  );
  const { results } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    results: readonly { readonly status: string; readonly name: string; readonly message?: string }[];
  };
  return results.map(({ status, name, message }) => ({ status, title: name, reason: message ?? '' }));
}

/** scim2-client makes so many people. @returns how many there were, and what it took */
export async function runScim2Client(
  suites: ScimSuites,
  url: string,
  token: string,
  count: number,
): Promise<{ readonly people: number; readonly seconds: number }> {
  const { stdout } = await run('python3', [programAt('scim-provision'), url, token, String(count)], {
    env: environmentOf(suites),
    maxBuffer: MAX_OUTPUT,
  });
  return JSON.parse(stdout);
}
