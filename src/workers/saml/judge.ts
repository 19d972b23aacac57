/** What becomes of a fault: a sign-in ends with the first, an examination notes it and goes on. */
import type { RefusedSaml, SamlCheck, SamlCheckName } from '../saml-wire.js';
import { SamlError } from './xml.js';

export interface Judge {
  /**
   * @param otherwise goes on in place of what was refused
   * @throws SamlError where the first fault ends the reading
   */
  check<T>(name: SamlCheckName, otherwise: T, run: () => T): T;
  /** Opens what is encrypted. @throws SamlError of the fault, or of none in particular */
  open<T>(run: () => T): T;
}

/** Of sign-ins. */
export const strictJudge: Judge = { check: (_name, _otherwise, run) => run(), open: (run) => run() };

/** Of examinations. */
export class Examiner implements Judge {
  readonly #checks = new Map<SamlCheckName, SamlCheck>();
  readonly #passedOver: readonly SamlCheckName[];
  #first: RefusedSaml | null = null;

  /** @param passedOver checks that say nothing about what is examined */
  constructor(passedOver: readonly SamlCheckName[]) {
    this.#passedOver = passedOver;
  }

  check<T>(name: SamlCheckName, otherwise: T, run: () => T): T {
    try {
      const found = run();
      this.#note(name, null);
      return found;
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
      this.#note(name, error);
      return otherwise;
    }
  }

  /**
   * One answer for everything that goes wrong behind the decryption: who sends changed texts and is told which of them were less
   * wrong can read the encrypted one (https://www.nds.rub.de/research/publications/breaking-xml-encryption/).
   */
  open<T>(run: () => T): T {
    try {
      return run();
    } catch {
      throw new SamlError('encryption', 'none of our keys opens it, or what is in it is not signed as it must be');
    }
  }

  /** The reading ends. */
  end(error: unknown): void {
    const fault =
      error instanceof SamlError ? error : new SamlError('malformed', `it cannot be read: ${(error as Error).name}`);
    this.#note(checkOf(fault), fault);
  }

  /** In the order in which a sign-in makes them. */
  get checks(): SamlCheck[] {
    return [...this.#checks.values()];
  }

  /** With what a sign-in would be refused; null: with nothing. */
  get refusal(): RefusedSaml | null {
    return this.#first;
  }

  #note(name: SamlCheckName, error: SamlError | null): void {
    if (this.#passedOver.includes(name)) return;
    const known = this.#checks.get(name);
    if (error === null) {
      if (known === undefined) this.#checks.set(name, { check: name, fault: null, found: null });
      return;
    }
    this.#first ??= { refusal: error.refusal, detail: error.message };
    if (known === undefined || known.fault === null) {
      this.#checks.set(name, { check: name, fault: error.message, found: error.found });
    }
  }
}

const checkOf = ({ refusal }: SamlError): SamlCheckName =>
  refusal === 'unreadable' ? 'malformed' : refusal === 'algorithm' ? 'signature' : refusal;
