/** Questions on a terminal, line by line. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Answers of a person. */
export interface Prompt {
  /**
   * @param isSecret what is typed is not shown
   * @returns the answer, without its line end
   * @throws PromptEndedError
   */
  ask(question: string, isSecret?: boolean): Promise<string>;
  close(): void;
}

/** The person pressed Ctrl-C or Ctrl-D, or the terminal is gone. */
export class PromptEndedError extends Error {
  constructor() {
    super('the questions were not answered to the end');
  }
}

/** @param input a terminal */
export function openPrompt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompt {
  let isMuted = false;
  let isEnded = false;
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0 });
  // Lines that were pasted at once wait here for their question.
  const early: string[] = [];
  let waiting: { take(line: string): void; end(): void } | undefined;
  lines.on('line', (line) => {
    if (waiting === undefined) early.push(line);
    else waiting.take(line);
  });
  lines.on('close', () => {
    isEnded = true;
    waiting?.end();
  });

  const nextLine = () =>
    new Promise<string>((resolve, reject) => {
      const next = early.shift();
      if (next !== undefined) return resolve(next);
      if (isEnded) return reject(new PromptEndedError());
      waiting = { take: resolve, end: () => reject(new PromptEndedError()) };
    }).finally(() => {
      waiting = undefined;
    });

  return {
    async ask(question, isSecret = false) {
      lines.setPrompt(question);
      lines.prompt();
      isMuted = isSecret;
      try {
        return await nextLine();
      } finally {
        if (isMuted) output.write('\n');
        isMuted = false;
      }
    },
    close: () => lines.close(),
  };
}
