/** The files beside .env, made from those of the repository: compose.yaml, and what is in deploy/. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readVersion } from '../version.js';
import { CONSOLE_PORT } from './env-text.js';

/** Where Latchkey is, without a slash at its end. */
const root = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '');

const readDeployed = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

/** @throws Error where the text has no such place */
function replacePlace(text: string, pattern: RegExp | string, replacement: string): string {
  const isThere = typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0;
  if (!isThere) throw new Error(`A file to start from has changed: it has no ${pattern}`);
  return text.replace(pattern, () => replacement);
}

/** Services of the compose file of the repository that serve; the others watch, or are for development. */
const SERVING = new Set(['latchkey', 'postgres', 'caddy']);

export interface ComposeOptions {
  /** Of a registry; undefined: it is built from this checkout, or there already. */
  readonly image: string | undefined;
  readonly hasConsole: boolean;
}

/** @returns a compose file with Latchkey, Postgres and Caddy, whose settings are all in .env */
export function renderComposeFile({ image, hasConsole }: ComposeOptions): string {
  const text = readDeployed('compose.yaml');
  const [head = '', services = '', networks = '', volumes = ''] = text.split(/^(?=(?:services|networks|volumes):)/m);
  const kept = services.split('\n\n').filter((block) => SERVING.has(/^ {2}([a-z]+):$/m.exec(block)?.[1] ?? ''));
  let serving = `${kept.join('\n\n').trimEnd()}\n\n`;
  serving = replacePlace(serving, / {4}build: \.\n {4}image: latchkey\n/, describeImage(image));
  serving = replacePlace(serving, / {4}environment:\n(?: {6}AUTH_.*\n| {6}DATABASE_URL.*\n| {6}PORT.*\n)+/, '');
  const published = `    # The console, for this machine only.\n    ports: ["127.0.0.1:${CONSOLE_PORT}:${CONSOLE_PORT}"]\n`;
  serving = replacePlace(
    serving,
    / {4}# Only the proxy and Prometheus .*\n {4}expose: .*\n/,
    `    expose: ["8081"]\n${hasConsole ? published : ''}`,
  );
  serving = replacePlace(serving, './deploy/proxies/Caddyfile:', './Caddyfile:');
  return [
    replacePlace(head, /^#.*\n/, '# Written by latchkey init. Settings and passwords are in .env.\n'),
    serving,
    replacePlace(networks, / {2}#.*\n {2}desk: .*\n/, ''),
    replacePlace(volumes, / {2}prometheus-data: .*\n {2}grafana-data: .*\n/, ''),
  ].join('');
}

function describeImage(image: string | undefined): string {
  if (image !== undefined) return `    image: ${JSON.stringify(image)}\n`;
  const own = `    image: latchkey:${readVersion()}\n`;
  return canBuild() ? `    build: ${JSON.stringify(root)}\n${own}` : own;
}

/** In a checkout, and not where the package is installed. */
export const canBuild = (): boolean => existsSync(`${root}/Dockerfile`);

/** @param envFile absolute path of the .env */
export function renderUnitFile(envFile: string): string {
  let text = readDeployed('deploy/systemd/latchkey.service');
  text = replacePlace(text, '; see docs/deployment.md.', ', written by latchkey init.');
  text = replacePlace(text, 'EnvironmentFile=/etc/latchkey/latchkey.env', `EnvironmentFile=${envFile}`);
  text = replacePlace(text, /\/usr\/bin\/node/g, process.execPath);
  return replacePlace(text, /\/opt\/latchkey/g, root);
}

/** @returns why the unit could not start what is installed here; null: it can */
export function findUnitFault(directory: string): string | null {
  const paths = [root, process.execPath, directory];
  const spaced = paths.find((path) => /\s/.test(path));
  if (spaced !== undefined) return `${spaced} has a blank, which the unit cannot name`;
  const closed = paths.slice(0, 2).find((path) => /^\/(?:home|root)\//.test(path));
  return closed === undefined ? null : `The unit has no access to ${closed}: install it below /opt or /usr.`;
}

export function renderCaddyfile(domain: string): string {
  return replacePlace(
    readDeployed('deploy/proxies/Caddyfile'),
    'LATCHKEY_DOMAIN:auth.example.com',
    `LATCHKEY_DOMAIN:${domain}`,
  );
}

/** How the command line of this installation is called. */
export const launcherPath = `${root}/bin/latchkey.cjs`;
