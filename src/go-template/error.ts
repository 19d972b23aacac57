/** A template that does not parse, exceeds a limit, or places a value where it cannot be escaped. */
export class TemplateError extends Error {
  /** Of the source, from 1; null: it concerns the whole. */
  readonly line: number | null;

  /** @param message names the construct, and what to write instead */
  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.name = 'TemplateError';
    this.line = line;
  }
}

/** Runs a step for a line of the source, which its error then names. @throws TemplateError */
export function atLine<Result>(line: number, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw error instanceof TemplateError && error.line === null ? new TemplateError(error.message, line) : error;
  }
}
