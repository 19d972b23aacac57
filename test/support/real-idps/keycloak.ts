/** Keycloak (https://www.keycloak.org), an identity provider that we did not write, from Maven Central. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findProgram } from '../client-pools.js';
import { freePort } from '../free-port.js';
import { missingProgram } from '../not-here.js';
import type { Test } from '../tap.js';
import { cached, refuseDownload } from '../test-cache.js';
import { programs } from './programs.js';

const VERSION = '26.7.0';
const NAME = `keycloak-${VERSION}`;
const ADMIN = { username: 'admin', password: 'the administrator of this test' };
/** Java's own messages go along, where it does not start at all. */
const LAST_LINES = 60;

export interface Keycloak {
  readonly url: string;
  /** Calls its administration. @throws Error unless it succeeds */
  // biome-ignore lint/suspicious/noExplicitAny: tests read its members.
  admin(method: string, path: string, body?: object | string): Promise<any>;
}

/** @returns a Keycloak that listens, with its database in memory; or why there is none here */
export async function openKeycloak(t: Test): Promise<Keycloak | string> {
  // First: what only runs the download is not needed where it may not be downloaded.
  const refused = refuseDownload(NAME);
  if (refused !== null) return refused;
  if ((await findProgram('java', '-version')) === null) return missingProgram(...programs.java);
  if ((await findProgram('mvn', '--version')) === null) return missingProgram(...programs.maven);
  const folder = await cached(NAME, install).catch((error: unknown) => error as Error);
  if (folder instanceof Error) {
    if (/Could not (?:transfer|find)|Unknown host|Connect/i.test(String(folder)))
      return 'Maven Central cannot be reached';
    throw folder;
  }
  const home = makeHome(join(folder, NAME));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const port = await freePort();
  t.teardown(await start(home, port));
  const url = `http://127.0.0.1:${port}`;
  return { url, admin: await openAdmin(url) };
}

async function install(folder: string): Promise<void> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  const goal = ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  const failed = (error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`.slice(0, 3000));
  };
  await promisify(execFile)('mvn', goal, { cwd: folder }).catch(failed);
  // Maven makes it for the project that there is not.
  rmSync(join(folder, '$' + '{project.basedir}'), { recursive: true, force: true });
  // The first start links its parts for a minute of processor time, and keeps the result.
  await (await start(join(folder, NAME), await freePort()))();
}

/** It writes beside its programs, which all runs share. */
function makeHome(installed: string): string {
  const home = mkdtempSync(join(tmpdir(), 'latchkey-keycloak-'));
  for (const name of ['bin', 'conf']) cpSync(join(installed, name), join(home, name), { recursive: true });
  for (const name of ['lib', 'providers', 'themes']) symlinkSync(join(installed, name), join(home, name));
  return home;
}

/** @returns what stops it */
async function start(home: string, port: number): Promise<() => Promise<void>> {
  const child = spawn(
    'sh',
    [join(home, 'bin', 'kc.sh'), 'start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`],
    {
      env: {
        PATH: process.env['PATH'],
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
        JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx640m',
        // Quicker to start; it does not live long.
        JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1 -XX:-UseG1GC -XX:+UseSerialGC',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: the script starts Java as a child.
      detached: true,
    },
  );
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await exited;
  };
  const lines: string[] = [];
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.includes('Listening on: ')) resolve();
      });
    }
    void exited.then(() => reject(new Error(`Keycloak ended:\n${lines.slice(-LAST_LINES).join('\n')}`)));
  });
  await listening;
  return stop;
}

async function openAdmin(url: string): Promise<Keycloak['admin']> {
  const signIn = async (): Promise<string> => {
    const answer = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN }),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  return async (method, path, body) => {
    // Its tokens live for a minute, which a busy machine needs for less.
    const authorization = `Bearer ${await signIn()}`;
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: sent }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Keycloak: ${method} ${path} ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}
