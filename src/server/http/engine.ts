/**
 * Loads the HTTP engine, uWebSockets.js, on demand. The only file that names its packages, with the types of the few
 * parts in use (its own typings leave out the descriptor calls and the exclusive listen).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Valid only inside the route callback. */
export interface EngineRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /**
   * Without an argument only: with one it decodes in place and corrupts the raw query (SEC-14).
   * @returns undefined when the request line has no `?`
   */
  getQuery(): string | undefined;
  /** @param name lower case. @returns the first value, '' when there is none */
  getHeader(name: string): string;
  forEach(visit: (name: string, value: string) => void): void;
}

/** Dead after end, endWithoutBody, close or the abort call. */
export interface EngineResponse {
  onAborted(handler: () => void): EngineResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): EngineResponse;
  getRemoteAddress(): ArrayBuffer;
  cork(write: () => void): EngineResponse;
  writeStatus(status: string): EngineResponse;
  writeHeader(name: string, value: string): EngineResponse;
  end(body: string | Uint8Array, closeConnection?: boolean): EngineResponse;
  endWithoutBody(contentLength?: number, closeConnection?: boolean): EngineResponse;
  close(): EngineResponse;
}

export type ListenSocket = object;

export interface EngineApp {
  any(pattern: string, handler: (response: EngineResponse, request: EngineRequest) => void): EngineApp;
  listen(port: number, options: number, done: (socket: ListenSocket | false) => void): EngineApp;
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): EngineApp;
  close(): EngineApp;
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): EngineApp;
  removeChildAppDescriptor(descriptor: unknown): EngineApp;
}

export interface Engine {
  App(): EngineApp;
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
  _cfg(option: 'silent'): void;
}

/** No binary of the engine fits this machine (SEC-02). */
export class EngineMissingError extends Error {
  readonly code = 'ENGINE_MISSING';

  constructor(causes: readonly unknown[]) {
    super(
      `No HTTP engine binary fits this machine (${process.platform} ${process.arch}, Node ${process.versions.node}). ` +
        'Latchkey runs on Node 20, 22, 24 and 26, on macOS and on Linux with glibc; Node 24 and 26 need glibc 2.38 ' +
        '(Debian 13, Ubuntu 24.04). On one of those, reinstall with this Node and with optional packages: ' +
        'npm ci --include=optional',
      { cause: new AggregateError(causes) },
    );
    this.name = 'EngineMissingError';
  }
}

let loaded: { readonly engine: Engine; readonly version: string } | undefined;

/**
 * Loads the engine once per thread. The environment must carry UWS_HTTP_MAX_HEADERS_SIZE by now (bin/latchkey.cjs).
 * @throws EngineMissingError
 */
export function loadEngine(): Engine {
  loaded ??= loadFirst();
  return loaded.engine;
}

/**
 * @returns the engine in use, e.g. `uWebSockets.js 20.69.0`
 * @throws EngineMissingError
 */
export function describeEngine(): string {
  loaded ??= loadFirst();
  return `uWebSockets.js ${loaded.version}`;
}

/**
 * Takes the newer of two releases where it loads. Its binaries are for Node 22, 24 and 26 and need glibc 2.38; those of
 * the older one are for Node 20 and 22 and need glibc 2.27.
 */
function loadFirst(): NonNullable<typeof loaded> {
  const require = createRequire(import.meta.url);
  const causes: unknown[] = [];
  for (const [find, load] of [
    [() => require.resolve('uWebSockets.js-next'), () => require('uWebSockets.js-next')],
    [() => require.resolve('uWebSockets.js'), () => require('uWebSockets.js')],
  ] as const) {
    try {
      const version = checkBinary(find());
      const engine = load() as Engine;
      // Drops the engine's own response header (SEC-21).
      engine._cfg('silent');
      return { engine, version };
    } catch (error) {
      causes.push(error);
    }
  }
  throw new EngineMissingError(causes);
}

/**
 * The binary comes in a package of its own. Where that is missing, Node would load the binary of the other release.
 * @returns the version of package and binary
 * @throws when they differ, or there is no binary
 */
function checkBinary(entry: string): string {
  const platform = `${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;
  const [version, ofBinary] = [
    join(dirname(entry), 'package.json'),
    createRequire(entry).resolve(`@uwsjs/${platform}/package.json`),
  ].map((path) => (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version);
  if (version !== ofBinary) throw new Error(`uWebSockets.js ${version} has no binary for ${platform}`);
  return version!;
}
