/** One error of the configuration. Contains the name of the variable, never its value (SEC-74). */
export interface Fault {
  readonly variable: string;
  /** What is wrong, to be read after the name: `must be a whole number`. */
  readonly problem: string;
  readonly example?: string;
}

/** A notice for the operator, logged at start. */
export interface Notice {
  readonly variable: string;
  /** A whole sentence. */
  readonly message: string;
}

/** The configuration is invalid. Contains all faults. */
export class ConfigError extends Error {
  readonly code = 'BAD_CONFIGURATION';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(describeFaults(faults));
    this.faults = faults;
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
