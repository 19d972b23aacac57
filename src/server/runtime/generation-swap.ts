/** Exchanges the parts of the configuration in one server thread. */
import type { Config } from '../config/settings.js';
import { type Generation, type LastingParts, openGeneration } from './generation.js';

/** The parts of another configuration, made but not used yet. */
export interface PreparedGeneration {
  /** Requests that begin from now on get them; running ones finish with the former ones. */
  commit(): void;
  /** Ends the exchange once every thread has committed. */
  finish(): Promise<void>;
  /** Lets go of them, when another thread could not make its own. */
  abandon(): Promise<void>;
}

export interface GenerationSwap {
  /**
   * @param config with the settings of `LastingConfig` as they were at the start
   * @throws Error when a part cannot be made
   */
  prepare(config: Config, generation: number): Promise<PreparedGeneration>;
  /** Closes the parts of former configurations that are still in use. */
  close(timeoutSeconds: number): Promise<void>;
}

/** Time for texts that requests of the former configuration have left behind. */
const CLOSE_SECONDS = 10;

/**
 * @param swapRules has further requests use these parts; resolves when none uses the former ones any more
 * @param onSwap called with the parts that requests get from now on
 */
export function openGenerationSwap(
  parts: LastingParts,
  swapRules: (next: Generation) => Promise<unknown>,
  first: Generation,
  onSwap: (next: Generation) => void,
): GenerationSwap {
  let current = first;
  const leaving = new Map<Generation, Promise<void>>();

  /** Mails stored by the last requests of the former configuration are for the mailer of the present one. */
  async function leave(former: Generation, unused: Promise<unknown>): Promise<void> {
    await Promise.all([former.retire(), unused]);
    current.app.mail.nudge();
    await former.close(CLOSE_SECONDS);
  }

  return {
    async prepare(config, generation) {
      const next = await openGeneration(parts, config, generation);
      return {
        commit() {
          const former = current;
          current = next;
          onSwap(next);
          const left = leave(former, swapRules(next)).finally(() => leaving.delete(former));
          leaving.set(former, left);
        },
        finish: () => next.finish(),
        async abandon() {
          await next.retire();
          await next.close(0);
        },
      };
    },
    async close(timeoutSeconds) {
      await Promise.all([...leaving.keys()].map((former) => former.close(timeoutSeconds)));
    },
  };
}
