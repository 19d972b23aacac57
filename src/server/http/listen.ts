/** Opens and closes the edge: alone on its port, or as one of several threads behind an acceptor. */
import { type Engine, type EngineApp, type ListenSocket, loadEngine } from './engine.js';
import { Exchange, refuseUnserved } from './exchange.js';
import type { EdgeOptions } from './options.js';
import { Pipeline } from './pipeline.js';

export type { AccessEntry, EdgeLog, EdgeObserver, EdgeOptions, FaultEntry } from './options.js';

export interface Edge {
  /** 0 for a child edge. */
  readonly port: number;
  /** Stops taking connections; every answer from now on closes its connection. */
  beginDrain(): void;
  /**
   * Drains, then closes everything. Must be awaited before the thread or process ends: Node aborts when a thread exits
   * that still owns an app.
   * @param timeoutSeconds what is still unanswered then gets a 503
   */
  close(timeoutSeconds: number): Promise<void>;
  inFlight(): number;
  /** What an acceptor's `add` wants; plain data that may cross threads. */
  descriptor(): unknown;
}

export interface Acceptor {
  readonly port: number;
  add(descriptor: unknown): void;
  /**
   * Must happen before the child edge is closed or its thread ends. A connection handed to a dead app is a wild pointer,
   * and the engine aborts the process when a request reaches a thread that is being torn down (both measured). So a
   * thread catches its own uncaught exceptions, asks to be removed, closes its edge and only then ends.
   */
  remove(descriptor: unknown): void;
  close(): void;
}

/** The address cannot be listened on, mostly because another process has it (SEC-18). */
export class ListenError extends Error {
  readonly code = 'LISTEN_FAILED';

  constructor(host: string, port: number) {
    super(
      `Cannot listen on ${host === '' ? 'all addresses' : host}, port ${port}: it is taken, not allowed, or not an ` +
        'address of this machine. Stop the other program, or set AUTH_API_HOST and PORT.',
    );
    this.name = 'ListenError';
  }
}

/** Time for the last answers to leave before sockets are cut; bytes the kernel has not taken would be lost. */
const LINGER_MS = 100;

/**
 * Opens an edge that listens itself, exclusively.
 * @throws EngineMissingError, ListenError
 */
export async function openEdge<Context>(options: EdgeOptions<Context>): Promise<Edge> {
  const engine = loadEngine();
  const { app, edge } = createApp(engine, options);
  const socket = await listen(engine, app, options.host, options.port);
  return edge(engine.us_socket_local_port(socket), () => engine.us_listen_socket_close(socket));
}

/**
 * Opens an edge that gets its connections from an acceptor on another thread.
 * @throws EngineMissingError
 */
export function openChildEdge<Context>(options: EdgeOptions<Context>): Edge {
  return createApp(loadEngine(), options).edge(0, () => {});
}

/**
 * Listens exclusively and hands each connection to one of the added edges in turn. Unlike SO_REUSEPORT it balances
 * exactly, and no other process can join the port.
 * @throws EngineMissingError, ListenError
 */
export async function openAcceptor({ host, port }: { host: string; port: number }): Promise<Acceptor> {
  const engine = loadEngine();
  // Reached only while no edge is added.
  const app = engine.App().any('/*', refuseUnserved);
  const socket = await listen(engine, app, host, port);
  return {
    port: engine.us_socket_local_port(socket),
    add: (descriptor) => void app.addChildAppDescriptor(descriptor),
    remove: (descriptor) => void app.removeChildAppDescriptor(descriptor),
    close: () => void app.close(),
  };
}

function createApp<Context>(engine: Engine, options: EdgeOptions<Context>) {
  const pipeline = new Pipeline(options);
  const app = engine.App().any('/*', (response, request) => {
    pipeline.open(new Exchange(response, request, pipeline));
  });
  const edge = (port: number, stopListening: () => void): Edge => {
    let closing: Promise<void> | undefined;
    const beginDrain = () => {
      if (pipeline.isDraining) return;
      pipeline.isDraining = true;
      stopListening();
    };
    const drainAndClose = async (timeoutSeconds: number) => {
      const endsAt = performance.now() + timeoutSeconds * 1000;
      do {
        await pipeline.drain((endsAt - performance.now()) / 1000);
        await new Promise((resolve) => setTimeout(resolve, LINGER_MS));
        // A kept connection may have brought one more request meanwhile; its answer closes it, so this comes to an end.
      } while (pipeline.inFlight > 0 && performance.now() < endsAt);
      app.close();
    };
    return {
      port,
      beginDrain,
      close(timeoutSeconds) {
        beginDrain();
        closing ??= drainAndClose(timeoutSeconds);
        return closing;
      },
      inFlight: () => pipeline.inFlight,
      descriptor: () => app.getDescriptor(),
    };
  };
  return { app, edge };
}

function listen(engine: Engine, app: EngineApp, host: string, port: number): Promise<ListenSocket> {
  return new Promise((resolve, reject) => {
    const done = (socket: ListenSocket | false) => {
      if (socket !== false) return resolve(socket);
      app.close();
      reject(new ListenError(host, port));
    };
    const exclusive = engine.LIBUS_LISTEN_EXCLUSIVE_PORT;
    if (host === '') app.listen(port, exclusive, done);
    else app.listen(host, port, exclusive, done);
  });
}
