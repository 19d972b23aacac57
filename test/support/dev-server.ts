/** `npm start`, after its build: `latchkey dev` as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
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

/**
 * @param variables beside those for the port, which would be 8081 for everyone
 * @param options of the command, beside the directory
 */
export async function startDev(
  t: Test,
  variables: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<DevServer> {
  const port = await freePort();
  const directory = makeScratchDirectory();
  const child = spawn(process.execPath, [launcher, 'dev', `--data=${directory}`, ...options], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'] ?? '',
      AUTH_API_PORT: String(port),
      AUTH_CONSOLE_PORT: String(await freePort()),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  await until(() => screen.includes('Try it') || child.exitCode !== null);
  const [adminToken] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(screen) ?? [];
  const [, url] = /API +(http:\/\/localhost:\d+)/.exec(screen) ?? [];
  const [, consoleLink = ''] = /Console +(http:\/\/localhost:\d+\/link#[\w-]{43})/.exec(screen) ?? [];
  if (adminToken === undefined || url === undefined) {
    throw new Error(`latchkey dev did not start: ${screen} ${errors}`);
  }
  noteSecrets({ access_token: adminToken });
  return { url, adminToken, consoleLink, directory, screen };
}
