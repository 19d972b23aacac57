/** Connections of a superuser that tests share or may never need: each takes 6 ms of processor time. */
import pg from 'pg';

/** Connects for its first statement, since many tests have none. Statements of tests that run side by side wait for each other. */
export class LazyClient extends pg.Client {
  #connected: Promise<unknown> | undefined;
  /** Settles when the statements so far have ended. */
  #last: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  // The types of pg have eight forms of this method.
  override query = ((...args: Parameters<pg.Client['query']>) => {
    const send = () => pg.Client.prototype.query.apply(this, args);
    if (this.#isEnded) return send();
    this.#connected ??= this.connect();
    const result = Promise.all([this.#connected, this.#last]).then(send);
    this.#last = result.catch(() => undefined);
    return result;
  }) as unknown as pg.Client['query'];

  override end = ((): Promise<void> => {
    this.#isEnded = true;
    return this.#connected === undefined ? Promise.resolve() : super.end();
  }) as pg.Client['end'];
}

/** What the types of pg leave out: whether a connection keeps the process. */
interface Holding {
  ref(): void;
  unref(): void;
}

interface Keeper {
  readonly client: pg.Client & Holding;
  /** The works so far, one after the other. */
  last: Promise<unknown>;
}

/** By URL. */
const keepers = new Map<string, Promise<Keeper>>();

/** Runs work as superuser on a connection that this process keeps; it does not keep the process. */
export async function withKeptAdmin<Result>(url: string, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const opening = keepers.get(url) ?? open(url);
  keepers.set(url, opening);
  const keeper = await opening;
  const result = keeper.last.then(async () => {
    keeper.client.ref();
    try {
      return await work(keeper.client);
    } finally {
      keeper.client.unref();
    }
  });
  keeper.last = result.catch(() => undefined);
  return result;
}

async function open(url: string): Promise<Keeper> {
  const client = new pg.Client({ connectionString: url }) as Keeper['client'];
  const forget = (): void => void keepers.delete(url);
  client.on('error', forget);
  client.on('end', forget);
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  return { client, last: Promise.resolve() };
}
