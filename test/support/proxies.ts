/** The proxies of deploy/proxies, run with the shipped files; only addresses and paths are replaced. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeCertificate } from './certificate.js';
import { freePort } from './free-port.js';
import { isListening } from './listening.js';
import { missingProgram } from './not-here.js';
import { readSource } from './source-tree.js';
import type { Test } from './tap.js';

export interface ProxyKind {
  readonly name: string;
  /** Shipped file, under deploy/proxies. */
  readonly file: string;
  /** Debian's package. */
  readonly install: string;
  /** Where the program may be; the first that exists is used. */
  readonly programs: readonly string[];
  readonly versionArguments: readonly string[];
  /** The oldest version that knows all directives of the shipped file. */
  readonly oldest: readonly number[];
  /** What the proxy does with a chunked body: adds a length, rejects it with 411, or forwards it without its trailers. */
  readonly chunks: 'measured' | 'refused' | 'passed';
  /** Text of the shipped file → its replacement. Each must occur. */
  place(places: Places): Readonly<Record<string, string>>;
  arguments(places: Places): readonly string[];
}

export interface Places {
  readonly directory: string;
  readonly configuration: string;
  readonly port: number;
  /** host:port of each server. */
  readonly upstreams: readonly string[];
}

const pem = (directory: string, name: string): string => join(directory, name);

export const proxyKinds: readonly ProxyKind[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    install: 'nginx-light',
    chunks: 'measured',
    programs: ['/usr/sbin/nginx', '/usr/local/sbin/nginx'],
    versionArguments: ['-v'],
    oldest: [1, 15, 3],
    place: ({ directory, port, upstreams }) => ({
      'worker_processes auto;': 'worker_processes 1;\ndaemon off;\nerror_log stderr;\n'.concat(
        `pid ${join(directory, 'pid')};`,
      ),
      'http {': `http {\n  client_body_temp_path ${join(directory, 'body')};`,
      '/dev/stdout': join(directory, 'access.log'),
      'listen 443': `listen 127.0.0.1:${port}`,
      '/etc/ssl/auth.example.com/fullchain.pem': pem(directory, 'cert.pem'),
      '/etc/ssl/auth.example.com/privkey.pem': pem(directory, 'key.pem'),
      'server 127.0.0.1:8081;': upstreams.map((upstream) => `server ${upstream};`).join('\n'),
    }),
    arguments: ({ configuration, directory }) => ['-p', directory, '-c', configuration],
  },
  {
    name: 'HAProxy',
    file: 'haproxy.cfg',
    install: 'haproxy',
    chunks: 'refused',
    programs: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'],
    versionArguments: ['-v'],
    oldest: [2, 6],
    place: ({ directory, port, upstreams }) => ({
      'bind :443': `bind 127.0.0.1:${port}`,
      '/etc/haproxy/auth.example.com.pem': pem(directory, 'both.pem'),
      'server one 127.0.0.1:8081': upstreams.map((upstream, index) => `server server${index} ${upstream}`).join('\n  '),
    }),
    arguments: ({ configuration }) => ['-db', '-f', configuration],
  },
  {
    name: 'Caddy',
    file: 'Caddyfile',
    install: 'caddy',
    chunks: 'passed',
    programs: ['/usr/local/bin/caddy', '/usr/bin/caddy'],
    versionArguments: ['version'],
    oldest: [2, 7, 5],
    place: ({ directory, port, upstreams }) => ({
      'servers {': 'admin off\n\tservers {',
      '{$LATCHKEY_DOMAIN:auth.example.com} {': [
        `https://:${port} {`,
        'bind 127.0.0.1',
        `tls ${pem(directory, 'cert.pem')} ${pem(directory, 'key.pem')}`,
      ].join('\n\t'),
      '{$LATCHKEY_UPSTREAM:127.0.0.1:8081}': upstreams.join(' '),
      // Its health checks share connections with requests, and would keep them from being idle.
      'health_interval 1s': 'health_interval 1h',
    }),
    arguments: ({ configuration }) => ['run', '--adapter', 'caddyfile', '--config', configuration],
  },
];

/** @returns the program, or the reason why it cannot run */
export function findProxy({ programs, versionArguments, oldest, install, name }: ProxyKind): {
  readonly program?: string;
  readonly missing: string;
} {
  const program = programs.find(existsSync);
  if (program === undefined) return { missing: missingProgram(name, install) };
  const said = execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1', program, ...versionArguments], { encoding: 'utf8' });
  const version = (/\d+(?:\.\d+)+/.exec(said)?.[0] ?? '').split('.').map(Number);
  if (isOlder(version, oldest)) {
    return { missing: `${name} ${version.join('.')} is older than the ${oldest.join('.')} the example asks for` };
  }
  return { program, missing: '' };
}

function isOlder(version: readonly number[], oldest: readonly number[]): boolean {
  const at = oldest.findIndex((part, index) => (version[index] ?? 0) !== part);
  return at !== -1 && (version[at] ?? 0) < oldest[at]!;
}

/** Starts a proxy with its shipped file; it ends with the test. @returns its TLS port */
export async function startProxy(
  t: Test,
  kind: ProxyKind,
  program: string,
  upstreams: readonly string[],
): Promise<number> {
  const directory = t.testdir({});
  // nginx runs its workers as another user.
  chmodSync(directory, 0o777);
  mkdirSync(join(directory, 'body'), { mode: 0o777 });
  const { key, cert } = makeCertificate('auth.test');
  for (const [name, text] of Object.entries({ 'key.pem': key, 'cert.pem': cert, 'both.pem': cert + key })) {
    writeFileSync(join(directory, name), text);
  }
  const places = { directory, configuration: join(directory, kind.file), port: await freePort(), upstreams };
  let text = readSource(`deploy/proxies/${kind.file}`).text;
  for (const [from, to] of Object.entries(kind.place(places))) {
    if (!text.includes(from)) throw new Error(`deploy/proxies/${kind.file} has no "${from}"`);
    text = text.replace(from, () => to);
  }
  writeFileSync(places.configuration, text);
  const environment = { PATH: process.env['PATH'] ?? '', HOME: directory };
  const child = spawn(program, kind.arguments(places), { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  const said: string[] = [];
  child.stdout.on('data', (bytes) => void said.push(String(bytes)));
  child.stderr.on('data', (bytes) => void said.push(String(bytes)));
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 3000);
    await exited;
    clearTimeout(force);
  });
  while (!(await isListening(places.port))) {
    if (child.exitCode !== null) throw new Error(`${kind.name} ended:\n${said.join('')}`);
    await pause(20);
  }
  return places.port;
}
