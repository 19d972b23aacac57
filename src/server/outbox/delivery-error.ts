interface DeliveryErrorOptions extends ErrorOptions {
  /** Another attempt would fail as well. */
  readonly isFinal?: boolean | undefined;
  /** The message may have been accepted: it must not be sent again. */
  readonly isOutcomeUnknown?: boolean | undefined;
  /** More for the log. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** A message that was not delivered, or may not have been. Text and facts are safe to log: no code, no link. */
export class DeliveryError extends Error {
  readonly isFinal: boolean;
  readonly isOutcomeUnknown: boolean;
  readonly facts: Readonly<Record<string, string>>;

  constructor(message: string, { isFinal, isOutcomeUnknown, facts, ...rest }: DeliveryErrorOptions = {}) {
    super(message, rest);
    this.name = 'DeliveryError';
    this.isFinal = isFinal ?? false;
    this.isOutcomeUnknown = isOutcomeUnknown ?? false;
    this.facts = facts ?? {};
  }
}
