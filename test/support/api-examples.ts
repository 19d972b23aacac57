/** The APIs of docs/guides/protect-an-api.md, each with its packages from its registry. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './client-pools.js';
import { startProgram } from './example.js';
import { freePort } from './free-port.js';
import { findExample, openExample } from './guide-example.js';
import { missingProgram } from './not-here.js';
import { programs } from './real-idps/programs.js';
import { readTree, repository } from './source-tree.js';
import type { Test } from './tap.js';
import { cached, refuseDownload } from './test-cache.js';
import { until } from './until.js';

const run = promisify(execFile);
/** Of pip, Go and Maven. */
const UNREACHABLE =
  /Could not (?:find a version|transfer)|Unknown host|dial tcp|proxyconnect|Temporary failure|Name or service|timed out/i;

/** Starts it; it stops with the test. @returns its URL */
export type StartApi = (t: Test, variables: Readonly<Record<string, string>>) => Promise<string>;

/** @returns how it is started, or why it is not here */
export type FindApi = (t: Test) => Promise<StartApi | string>;

interface Start {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const starter =
  ({ program, words, cwd, env }: Start): StartApi =>
  async (t, variables) => {
    const given = { PATH: process.env['PATH'] ?? '', ...env, ...variables, PORT: String(await freePort()) };
    const example = startProgram(t, words, { ...(cwd !== undefined && { cwd }), env: given }, program);
    const url = await example.line(/API at (\S+)/);
    // Some say so just before they listen.
    await until(async () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    return url;
  };

const ofNode =
  (file: string): FindApi =>
  async (t) => {
    const found = await findExample('protect-an-api-node');
    if (typeof found === 'string') return found;
    const { folder } = await openExample(t, found);
    return starter({ program: process.execPath, words: [file], cwd: folder });
  };

const folderOf = (name: string): string => join(repository, 'examples', `protect-an-api-${name}`);

/** @param fill as in test-cache.ts, from the files of the example. @returns the folder, or why there is none */
async function prepare(name: string, what: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const texts = readTree([`examples/protect-an-api-${name}`]).map(({ path, text }) => `${path}\n${text}`);
  const version = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 10);
  const key = `example-protect-an-api-${name}-${version}-${what}`;
  const refused = refuseDownload(key);
  if (refused !== null) throw new Error(refused);
  return cached(key, fill);
}

/** Throws the reason. What is there already needs less, and without downloads nobody is to install it: so it is called late. */
async function needProgram(program: keyof typeof programs, name: string, ...versionWords: string[]): Promise<void> {
  const [title, install] = programs[program];
  if ((await findProgram(name, ...versionWords)) === null) throw new Error(missingProgram(title, install));
}

/** What a registry, a missing download or program says; any other fault is the example's. */
function readObstacle(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
  if (/is not downloaded|on this machine/.test(message)) return message;
  if (UNREACHABLE.test(stdout + stderr)) return 'a registry cannot be reached';
  throw new Error(`${message}\n${stdout.slice(-3000)}\n${stderr.slice(-3000)}`);
}

const ofPython: FindApi = async () => {
  if ((await findProgram('python3', '--version')) === null) return missingProgram(...programs.python);
  const version = await findProgram('python3', '-c', 'import sys; print("python%d.%d" % sys.version_info[:2])');
  const requirements = join(folderOf('python'), 'requirements.txt');
  const options = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries=2'];
  try {
    const packages = await prepare('python', version!, async (made) => {
      await needProgram('pip', 'python3', '-m', 'pip', '--version');
      await run('python3', [...options, '--target', made, '--requirement', requirements]);
    });
    const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
    return starter({ program: 'python3', words: ['main.py'], cwd: folderOf('python'), env });
  } catch (error) {
    return readObstacle(error);
  }
};

const ofGo: FindApi = async () => {
  try {
    const built = await prepare('go', process.arch, async (made) => {
      await needProgram('go', 'go', 'version');
      await run('go', ['build', '-o', join(made, 'api'), '.'], { cwd: folderOf('go') });
    });
    return starter({ program: join(built, 'api'), words: [] });
  } catch (error) {
    return readObstacle(error);
  }
};

const ofJava: FindApi = async () => {
  try {
    const built = await prepare('java', 'jar', async (made) => {
      await needProgram('maven', 'mvn', '--version');
      const copy = mkdtempSync(join(tmpdir(), 'latchkey-java-'));
      try {
        cpSync(folderOf('java'), copy, { recursive: true });
        await run('mvn', ['-q', '-B', 'package'], { cwd: copy });
        renameSync(join(copy, 'target/api-1.jar'), join(made, 'api.jar'));
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    });
    await needProgram('java', 'java', '-version');
    // Quicker to start; it does not live long.
    const options = ['-Xmx256m', '-XX:TieredStopAtLevel=1'];
    return starter({ program: 'java', words: [...options, '-jar', join(built, 'api.jar')] });
  } catch (error) {
    return readObstacle(error);
  }
};

/** By what they are written with. */
export const apiExamples: Readonly<Record<string, FindApi>> = {
  Express: ofNode('express.js'),
  Fastify: ofNode('fastify.js'),
  Hono: ofNode('hono.js'),
  FastAPI: ofPython,
  'net/http': ofGo,
  'Spring Boot': ofJava,
};
