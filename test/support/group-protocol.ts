/** What the runner and a process that runs several test files (run-group.ts) tell each other, a line of JSON each. */

export interface FileRequest {
  /** Absolute path of a compiled test file. */
  readonly file: string;
  /** Of the file, and of each test in it that sets no time limit of its own. */
  readonly timeoutSeconds: number;
}

export interface FileReport {
  /** The process runs no further file. */
  readonly endsProcess: boolean;
  /** Assertions. */
  readonly passed: number;
  readonly failed: number;
  /** Processor time of the process and of the processes that it waited for. */
  readonly cpuSeconds: number;
}

/** Begins the line of a report, which is a comment of TAP. */
export const REPORT = 'latchkey report ';

/** In place of a path in the last report of a process, which is of what failed after its last file. */
export const NO_FILE = '(after the last file of a process)';
