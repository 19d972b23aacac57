/** Examples that need packages of their own: installed from the registry once, and copied for each test. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Example, startProgram } from './example.js';
import { makeScratchDirectory } from './postgres.js';
import { readSource, repository } from './source-tree.js';
import type { Test } from './tap.js';
import { cached, refuseDownload } from './test-cache.js';
import { until } from './until.js';

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|E40[1347]|E5\d\d/;
const MAX_OUTPUT = 16 * 1_048_576;
const run = promisify(execFile);

/** What programs of others find in their environment: nothing of the test's. */
const environment = (variables: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NEXT_TELEMETRY_DISABLED: '1',
  ...variables,
});

/** How npm reaches its registry, besides what its own files say: proxies, certificates, another registry. */
const REGISTRY_VARIABLE = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_registry)$/i;
/** So that without a network an installation ends after some seconds, and not after minutes. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

const registryVariables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && REGISTRY_VARIABLE.test(name) ? [[name, value]] : [],
    ),
  );

/** The packages of an example are on this machine. */
export interface InstalledExample {
  readonly name: string;
  /** With node_modules; not to be changed. */
  readonly packages: string;
}

/** A copy of an example with its packages. */
export interface OpenExample {
  readonly folder: string;
  /** @param words a file of the example or its packages, and arguments for it. @returns what it wrote; throws if it failed */
  run(words: readonly string[], variables?: Readonly<Record<string, string>>): Promise<string>;
  /** As `run`, for a program that stays until the test ends. */
  start(words: readonly string[], variables?: Readonly<Record<string, string>>): Example;
}

/** By name: tests of one file that need the same packages try once. */
const findings = new Map<string, Promise<InstalledExample | string>>();

/** @param name of a folder in examples/. @returns why its packages are not there, if they are not */
export function findExample(name: string): Promise<InstalledExample | string> {
  const finding = findings.get(name) ?? install(name);
  findings.set(name, finding);
  return finding;
}

async function install(name: string): Promise<InstalledExample | string> {
  const manifest = readSource(`examples/${name}/package.json`).text;
  const version = createHash('sha256').update(manifest).digest('hex').slice(0, 10);
  const key = `example-${name}-${version}-${process.platform}-${process.arch}`;
  const refused = refuseDownload(key);
  if (refused !== null) return refused;
  try {
    const packages = await cached(key, async (made) => {
      cpSync(join(repository, 'examples', name, 'package.json'), join(made, 'package.json'));
      const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
      await run('npm', ['install', ...options, ...RETRIES], { cwd: made, env: environment(registryVariables()) });
    });
    return { name, packages };
  } catch (error) {
    if (UNREACHABLE.test(String((error as { stderr?: string }).stderr))) return 'the registry of npm cannot be reached';
    throw error;
  }
}

/** Makes a folder as a reader of the guide has it after `npm install`. */
export async function openExample(t: Test, { name, packages }: InstalledExample): Promise<OpenExample> {
  const folder = makeScratchDirectory();
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  // The same files under second names: bundlers refuse links to folders outside, and copies take seconds.
  await run('cp', ['-Rl', join(packages, 'node_modules'), folder]).catch(() =>
    run('cp', ['-R', join(packages, 'node_modules'), folder]),
  );
  cpSync(join(repository, 'examples', name), folder, { recursive: true });
  return {
    folder,
    async run(words, variables) {
      const options = { cwd: folder, env: environment(variables), maxBuffer: MAX_OUTPUT };
      const { stdout, stderr } = await run(process.execPath, [...words], options).catch((error) => {
        throw new Error(`${words.join(' ')}: ${error.stdout}${error.stderr}`);
      });
      return stdout + stderr;
    },
    start: (words, variables) => startProgram(t, words, { cwd: folder, env: environment(variables) }),
  };
}

/** What the mailbox of `latchkey dev` has found in a mail. */
export interface MailedProof {
  readonly links: readonly string[];
  readonly codes: readonly string[];
}

/** @param url of `latchkey dev`. @returns the newest mail to an address, as soon as there is one */
export async function messageTo(url: string, email: string): Promise<MailedProof> {
  let message: MailedProof | undefined;
  await until(async () => {
    const response = await fetch(`${url}/dev/mailbox/messages.json?to=${encodeURIComponent(email)}`);
    [message] = ((await response.json()) as { messages: MailedProof[] }).messages;
    return message !== undefined;
  });
  return message!;
}
