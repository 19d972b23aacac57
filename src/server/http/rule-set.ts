import { createPreflight, type Preflight } from './cors.js';
import type { EdgeRules } from './options.js';

/** The rules of one configuration, and how many requests are being served by them. */
export class RuleSet<Context> {
  readonly rules: EdgeRules<Context>;
  readonly preflight: Preflight;
  #running = 0;
  #whenUnused: (() => void) | null = null;

  constructor(rules: EdgeRules<Context>) {
    this.rules = rules;
    this.preflight = createPreflight(rules.corsAllowedHeaders);
  }

  begin(): void {
    this.#running++;
  }

  end(): void {
    if (--this.#running === 0) this.#whenUnused?.();
  }

  /** Resolves when its last request has ended. Call it once no further request gets these rules. */
  retire(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#running === 0) resolve();
      else this.#whenUnused = resolve;
    });
  }
}
