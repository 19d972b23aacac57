/** What is logged of looks at the database that are repeated for as long as a process runs. */
import { DatabaseUnavailableError, PoolExhaustedError } from './errors.js';

export interface LookFailures {
  /** A look has failed. */
  note(error: unknown): void;
  /** A look has succeeded: the next failure is told, also one that was told before. */
  clear(): void;
}

/**
 * Without a database or a connection others say so. Everything else is told, also what is no error of SQL, each reason once.
 * @param tell logs a reason
 */
export function watchLookFailures(tell: (reason: string) => void): LookFailures {
  let told: string | null = null;
  return {
    note(error) {
      if (error instanceof DatabaseUnavailableError || error instanceof PoolExhaustedError) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== told) tell(reason);
      told = reason;
    },
    clear() {
      told = null;
    },
  };
}
