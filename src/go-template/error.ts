/** A template that does not parse, exceeds a limit, or places a value where it cannot be escaped. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TemplateError';
  }
}
