import type { Prompt } from '../../cli/prompt.js';
import type { Parsed } from '../../config/parse.js';

export interface Question<Value> {
  /** What answers it without a terminal: `--site`, or the name of a variable. */
  readonly source: string;
  readonly given: string | undefined;
  readonly text: string;
  /** The answer of Enter, and of --yes. */
  readonly fallback?: string;
  /** Without a terminal, the fallback counts without --yes, too. */
  readonly isDetail?: boolean;
  readonly isSecret?: boolean;
  /** @returns a fault that goes on after the name of the source: `must be …` */
  parse(text: string): Parsed<Value>;
}

export interface Interview {
  /** What is missing or wrong where no person can be asked, a sentence each. */
  readonly problems: readonly string[];
  /**
   * Takes what was given; asks where nothing was, or where it is wrong, until the answer can be used.
   * @returns undefined: no person can be asked, and {@link problems} says what is to be given
   * @throws PromptEndedError
   */
  ask<Value>(question: Question<Value>): Promise<Value | undefined>;
}

/** @param prompt absent: nothing is asked */
export function openInterview({ prompt, takesDefaults }: { prompt?: Prompt | undefined; takesDefaults: boolean }) {
  const problems: string[] = [];

  async function askPerson<Value>(asker: Prompt, question: Question<Value>, reason: string): Promise<Value> {
    const { text, fallback, isSecret } = question;
    const shown = fallback === undefined || fallback === '' ? '' : ` [${fallback}]`;
    let fault = reason;
    for (;;) {
      const line = (await asker.ask(`${fault}${text}${shown}: `, isSecret)).trim();
      const parsed = question.parse(line === '' ? (fallback ?? '') : line);
      if ('value' in parsed) return parsed.value;
      fault = `  That ${parsed.fault}.\n`;
    }
  }

  return {
    problems,
    async ask<Value>(question: Question<Value>): Promise<Value | undefined> {
      const { source, given, text, fallback, isDetail = false } = question;
      const parsed = given === undefined ? undefined : question.parse(given);
      if (parsed !== undefined && 'value' in parsed) return parsed.value;
      const fault = parsed === undefined ? '' : `  ${source} ${parsed.fault}.\n`;
      if (prompt !== undefined) return askPerson(prompt, question, fault);
      if (parsed === undefined && fallback !== undefined && (takesDefaults || isDetail)) {
        const usual = question.parse(fallback);
        if ('value' in usual) return usual.value;
      }
      problems.push(parsed === undefined ? `${source} is missing: ${text}` : `${source} ${parsed.fault}`);
      return undefined;
    },
  } satisfies Interview;
}
