/** Rows that are written some time after what they tell of, in batches. While the database is away they wait. */
export interface BatchWriter<Row> {
  /** Whether too many wait. */
  readonly isFull: boolean;
  add(row: Row): void;
  /** Writes what is waiting, if the database takes it. */
  close(): Promise<void>;
}

export interface BatchOptions<Row> {
  /** Oldest first. */
  readonly write: (rows: readonly Row[]) => Promise<void>;
  /** They cannot be written, and are dropped. */
  readonly onLost: (rows: readonly Row[], reason: string) => void;
  readonly flushMs?: number | undefined;
}

const FLUSH_MS = 1000;
/** While the database is away. */
const RETRY_MS = 5000;
/** Rows in memory; the database may be away for long. */
const MAX_WAITING = 1000;
const MAX_BATCH = 250;
/** Codes of errors after which the same rows may be written later. */
const TEMPORARY: ReadonlySet<string> = new Set(['DATABASE_UNAVAILABLE', 'POOL_EXHAUSTED']);

export function openBatchWriter<Row>({ write, onLost, flushMs = FLUSH_MS }: BatchOptions<Row>): BatchWriter<Row> {
  let waiting: Row[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  function schedule(delayMs: number): void {
    if (timer !== undefined || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = flush().finally(() => {
        writing = undefined;
      });
    }, delayMs).unref();
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      try {
        await write(batch);
      } catch (error) {
        if (TEMPORARY.has((error as { code?: string }).code ?? '')) return schedule(RETRY_MS);
        onLost(batch, error instanceof Error ? error.message : String(error));
      }
      waiting = waiting.slice(batch.length);
    }
  }

  return {
    get isFull() {
      return waiting.length >= MAX_WAITING;
    },
    add(row) {
      waiting.push(row);
      schedule(flushMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await writing;
      await flush();
    },
  };
}
