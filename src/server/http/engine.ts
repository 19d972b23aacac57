/**
 * The HTTP engine, loaded on demand. The only file that names the package, and the types of the few parts we use
 * (its own typings leave out the descriptor calls and the exclusive listen).
 */
import { createRequire } from 'node:module';

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

  constructor(cause: unknown) {
    super(
      `No HTTP engine binary fits this machine (${process.platform} ${process.arch}, Node ${process.versions.node}). ` +
        'Latchkey runs on Node 20 or 22, on Linux with glibc, macOS or Windows. On one of those, reinstall with ' +
        'optional packages: npm ci --include=optional',
      { cause },
    );
    this.name = 'EngineMissingError';
  }
}

let loaded: Engine | undefined;

/**
 * Loads the engine once per thread. The environment must carry UWS_HTTP_MAX_HEADERS_SIZE by now (bin/latchkey.cjs).
 * @throws EngineMissingError
 */
export function loadEngine(): Engine {
  if (loaded !== undefined) return loaded;
  try {
    loaded = createRequire(import.meta.url)('uWebSockets.js') as Engine;
  } catch (error) {
    throw new EngineMissingError(error);
  }
  // Drops the engine's own response header (SEC-21).
  loaded._cfg('silent');
  return loaded;
}
