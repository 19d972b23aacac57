/** A server whose configuration is in a file, and reloads of it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcher } from './binary.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { type ServerProcess, spawnServer } from './process.js';
import { call } from './server.js';
import type { Test } from './tap.js';
import { until } from './until.js';

/** In the log. */
export const RELOADED = 'The configuration was reloaded';

/** What the tests change. @param url of the server */
export const isSignupOff = async (url: string): Promise<boolean> =>
  (await call(url, 'GET', '/settings')).body.disable_signup;

export interface ReloadingServer extends ServerProcess {
  readonly database: TestDatabase;
  /** Where the configuration is. */
  readonly directory: string;
  /** Writes a file of the directory. */
  write(name: string, text: string): Promise<void>;
  /** Lines of its log that contain this, parsed. */
  logged(text: string): Record<string, unknown>[];
  /** Waits until that many lines contain this. @returns the last one */
  waitFor(text: string, count?: number): Promise<Record<string, unknown>>;
}

export interface ReloadingOptions {
  /** Settings of the environment, without AUTH_. */
  readonly settings?: Record<string, string>;
  /** Files that are there at the start. */
  readonly files: Readonly<Record<string, string>>;
  /** Called with the directory before the start. */
  readonly prepare?: (directory: string) => void;
  /** Options of the command line, given the directory. */
  readonly args: (directory: string) => readonly string[];
}

export async function makeDirectory(t: Test, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-config-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

export async function spawnReloadingServer(t: Test, options: ReloadingOptions): Promise<ReloadingServer> {
  const database = await createTestDatabase(t);
  const directory = await makeDirectory(t, options.files);
  options.prepare?.(directory);
  const command = [process.execPath, launcher, ...options.args(directory)] as const;
  const launch = { command: command as unknown as [string, ...string[]], cwd: directory };
  const server = await spawnServer(t, database.url, options.settings ?? {}, {}, launch);
  const logged = (text: string) => server.lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line));
  return {
    ...server,
    database,
    directory,
    write: (name, text) => writeFile(join(directory, name), text),
    logged,
    async waitFor(text, count = 1) {
      await until(() => logged(text).length >= count);
      return logged(text).at(-1)!;
    },
  };
}
