/** Which test file runs in this process, which may run several one after the other (run-group.ts). */
let running = process.argv[1]!;

/** @returns the path of the compiled file */
export const runningFile = (): string => running;

export function setRunningFile(path: string): void {
  running = path;
}
