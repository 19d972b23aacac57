/** Opens and closes the edge (the HTTP listener): alone on its port, or on several threads behind an acceptor. */
import { type Engine, type EngineApp, type ListenSocket, loadEngine } from './engine.js';
import { Exchange, rejectUnserved } from './exchange.js';
import type { EdgeOptions, EdgeRules } from './options.js';
import { Pipeline } from './pipeline.js';

export interface Edge<Context = unknown> {
  /** 0 for a child edge. */
  readonly port: number;
  /**
   * Further requests get these rules; running ones keep theirs.
   * @returns when the last request under the former rules has ended
   */
  swap(rules: EdgeRules<Context>): Promise<void>;
  /** Stops accepting connections; every further answer closes its connection. */
  beginDrain(): void;
  /**
   * Drains, then closes everything. Await it before the thread or process ends: Node aborts when a thread exits that
   * still owns an app.
   * @param timeoutSeconds requests that are unanswered then get a 503
   */
  close(timeoutSeconds: number): Promise<void>;
  inFlight(): number;
  /** The argument of an acceptor's `add`: plain data that can be sent between threads. */
  descriptor(): unknown;
}

export interface Acceptor {
  readonly port: number;
  add(descriptor: unknown): void;
  /**
   * Call it before the child edge is closed or its thread ends. A connection passed to a closed app is a dangling
   * pointer, and the engine aborts the process when a request reaches a thread that is ending. So a thread catches its
   * own uncaught exceptions, asks to be removed, closes its edge and then ends.
   */
  remove(descriptor: unknown): void;
  close(): void;
}

type ListenAddress = Pick<EdgeOptions<unknown>, 'host' | 'port' | 'addressSettings'>;

/** The address cannot be listened on, usually because another process uses it (SEC-18). */
export class ListenError extends Error {
  readonly code = 'LISTEN_FAILED';

  constructor({ host, port, addressSettings = 'AUTH_API_HOST and PORT' }: ListenAddress) {
    super(
      `Cannot listen on ${host === '' ? 'all addresses' : host}, port ${port}: it is taken, not allowed, or not an ` +
        `address of this machine. Stop the other program, or set ${addressSettings}.`,
    );
    this.name = 'ListenError';
  }
}

/** Default of `lingerMs`. */
const LINGER_MS = 100;

/**
 * Opens an edge that listens exclusively.
 * @throws EngineMissingError, ListenError
 */
export async function openEdge<Context>(options: EdgeOptions<Context>): Promise<Edge<Context>> {
  const engine = loadEngine();
  const { app, edge } = createApp(engine, options);
  const socket = await listen(engine, app, options);
  return edge(engine.us_socket_local_port(socket), () => engine.us_listen_socket_close(socket));
}

/**
 * Opens an edge that receives its connections from an acceptor on another thread.
 * @throws EngineMissingError
 */
export function openChildEdge<Context>(options: EdgeOptions<Context>): Edge<Context> {
  return createApp(loadEngine(), options).edge(0, () => {});
}

/**
 * Listens exclusively and passes connections to the added edges in turn. Unlike SO_REUSEPORT this balances exactly, and
 * no other process can bind the port.
 * @throws EngineMissingError, ListenError
 */
export async function openAcceptor(address: ListenAddress): Promise<Acceptor> {
  const engine = loadEngine();
  // Called only while no edge is added.
  const app = engine.App().any('/*', rejectUnserved);
  const socket = await listen(engine, app, address);
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
  const edge = (port: number, stopListening: () => void): Edge<Context> => {
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
        await new Promise((resolve) => setTimeout(resolve, options.lingerMs ?? LINGER_MS));
        // A kept connection may have sent another request; its answer closes it, so this loop ends.
      } while (pipeline.inFlight > 0 && performance.now() < endsAt);
      app.close();
    };
    return {
      port,
      swap: (rules) => pipeline.swap(rules),
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

function listen(engine: Engine, app: EngineApp, address: ListenAddress): Promise<ListenSocket> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const done = (socket: ListenSocket | false) => {
      if (socket !== false) return resolve(socket);
      app.close();
      reject(new ListenError(address));
    };
    const exclusive = engine.LIBUS_LISTEN_EXCLUSIVE_PORT;
    if (host === '') app.listen(port, exclusive, done);
    else app.listen(host, port, exclusive, done);
  });
}
