/** Names the directory in which measured processes write what has run. */
export const COVERAGE_DIRECTORY_VARIABLE = 'LATCHKEY_TEST_COVERAGE_DIRECTORY';

/** @returns the variables that let a process with an environment of its own be measured as this one is */
export function coverageEnvironment(): Record<string, string> {
  const { [COVERAGE_DIRECTORY_VARIABLE]: directory, NODE_OPTIONS: options } = process.env;
  if (directory === undefined || options === undefined) return {};
  return { [COVERAGE_DIRECTORY_VARIABLE]: directory, NODE_OPTIONS: options };
}
