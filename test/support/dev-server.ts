/** `npm start`, after its build: `latchkey dev` as a process of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from './binary.js';
import { freePort } from './free-port.js';
import { makeScratchDirectory } from './postgres.js';
import { noteSecrets } from './secret-search.js';
import type { Test } from './tap.js';
import { until } from './until.js';

export interface DevServer {
  /** As the start screen says it. */
  readonly url: string;
  /** The administrator's token that the start screen shows. */
  readonly adminToken: string;
  /** Signs in to the console. */
  readonly consoleLink: string;
  /** What it keeps, among it its own Postgres. */
  readonly directory: string;
  /** The whole start screen. */
  readonly screen: string;
}

/** By which test files find what {@link prepareDevData} has made. */
const DATA_VARIABLE = 'LATCHKEY_TEST_DEV_DATA';

/** A file that is there when the data is. */
const READY = 'ready';

/**
 * Makes what the first start of `latchkey dev` makes: its Postgres, the schema and keys, 3 s of processor time. Each {@link startDev} of a
 * run with --rest begins with a copy, for which it waits; other runs have the first start each time.
 * @returns the variables for test files, and what waits for the end and removes the data; it throws if the data could not be made
 */
export function prepareDevData(): { variables: Readonly<Record<string, string>>; remove(): Promise<void> } {
  const directory = makeScratchDirectory();
  const data = join(directory, 'data');
  mkdirSync(data);
  const making = makeDevData(data).then(() => writeFileSync(join(directory, READY), ''));
  // Tests that wait for it fail; it is awaited in the end.
  making.catch(() => rmSync(data, { recursive: true, force: true }));
  return {
    variables: { [DATA_VARIABLE]: directory },
    async remove() {
      try {
        await making;
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

async function makeDevData(directory: string): Promise<void> {
  const server = await launchDev(directory, {}, []);
  try {
    await server.readScreen();
  } finally {
    await server.stop();
  }
  // Each copy takes a port of its own.
  rmSync(join(directory, 'postgres/port'));
}

/** @throws Error if there is none since it could not be made */
async function copyPreparedData(prepared: string, directory: string): Promise<void> {
  const data = join(prepared, 'data');
  await until(() => existsSync(join(prepared, READY)) || !existsSync(data));
  // With the owner, since root runs Postgres as another user.
  execFileSync('cp', ['-a', `${data}/.`, directory]);
}

/**
 * @param variables beside those for the port, which would be 8081 for everyone
 * @param options of the command, beside the directory
 */
export async function startDev(
  t: Test,
  variables: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<DevServer> {
  const directory = makeScratchDirectory();
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const prepared = process.env[DATA_VARIABLE];
  if (prepared !== undefined) await copyPreparedData(prepared, directory);
  const server = await launchDev(directory, variables, options);
  t.teardown(server.stop);
  const screen = await server.readScreen();
  const [adminToken] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(screen) ?? [];
  const [, url] = /API +(http:\/\/localhost:\d+)/.exec(screen) ?? [];
  const [, consoleLink = ''] = /Console +(http:\/\/localhost:\d+\/link#[\w-]{43})/.exec(screen) ?? [];
  if (adminToken === undefined || url === undefined) throw new Error(`latchkey dev shows no token: ${screen}`);
  noteSecrets({ access_token: adminToken });
  return { url, adminToken, consoleLink, directory, screen };
}

interface LaunchedDev {
  /** @returns the start screen, once it is there. @throws Error with what the command wrote if it ends before */
  readScreen(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the command, and does not wait for it. */
async function launchDev(
  directory: string,
  variables: Readonly<Record<string, string>>,
  options: readonly string[],
): Promise<LaunchedDev> {
  const child = spawn(process.execPath, [launcher, 'dev', `--data=${directory}`, ...options], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'] ?? '',
      AUTH_API_PORT: String(await freePort()),
      AUTH_CONSOLE_PORT: String(await freePort()),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  return {
    async readScreen() {
      await until(() => screen.includes('Try it') || child.exitCode !== null);
      if (!screen.includes('Try it')) throw new Error(`latchkey dev did not start: ${screen} ${errors}`);
      return screen;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
