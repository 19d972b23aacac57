/** One thing wrong with the configuration. Holds the variable's name, never its value (SEC-74). */
export interface Fault {
  readonly variable: string;
  /** What is wrong, to be read after the name: `must be a whole number`. */
  readonly problem: string;
  readonly example?: string;
}

/** Something to know that does not stop the server; logged at boot. */
export interface Notice {
  readonly variable: string;
  /** A whole sentence. */
  readonly message: string;
}

/** The configuration cannot be used. Carries every fault, so that one look is enough to mend them all. */
export class ConfigError extends Error {
  readonly code = 'BAD_CONFIGURATION';

  constructor(readonly faults: readonly Fault[]) {
    super(describeFaults(faults));
    this.name = 'ConfigError';
  }
}

function describeFaults(faults: readonly Fault[]): string {
  const lines = faults.map(({ variable, problem, example }) => {
    const hint = example ? ` Example: ${variable}=${example}` : '';
    return `  ${variable} ${problem}.${hint}`;
  });
  return [`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:`, ...lines].join('\n');
}
