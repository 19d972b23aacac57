/** The statements of sql/queries/check-runs.sql. */
import type { Database } from './types.js';

/** `impossible`: it could not be tried. `late`: it took too long. `lost`: its process has ended. */
export type CheckState = 'running' | 'passed' | 'failed' | 'impossible' | 'late' | 'lost';

export interface CheckRun {
  readonly name: string;
  /** Empty: the check takes none. */
  readonly argument: string;
  readonly operator_name: string;
  readonly host: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly state: CheckState;
}

export interface PrintedCheckRun extends CheckRun {
  readonly output: string;
}

export interface NewCheckRun extends Pick<CheckRun, 'name' | 'argument' | 'operator_name' | 'host'> {
  readonly runId: string;
  readonly audit: readonly object[];
}

/** @returns false when it runs already */
export async function startCheckRun(db: Database, run: NewCheckRun, lostSeconds: number): Promise<boolean> {
  const { name, argument, runId, operator_name, host, audit } = run;
  const values = [name, argument, runId, operator_name, host, lostSeconds, JSON.stringify(audit)];
  return (await db.run('check-runs.start', values)).length === 1;
}

/** @param state `running`, or how it ended. @returns false when another run has taken its place */
export async function noteCheckProgress(
  db: Database,
  { name, argument, runId }: Pick<NewCheckRun, 'name' | 'argument' | 'runId'>,
  output: string,
  state: Exclude<CheckState, 'lost'>,
): Promise<boolean> {
  return (await db.run('check-runs.progress', [name, argument, runId, output, state])).length === 1;
}

export const listCheckRuns = (db: Database, lostSeconds: number): Promise<readonly CheckRun[]> =>
  db.run<CheckRun>('check-runs.list', [lostSeconds]);

export async function readCheckRun(
  db: Database,
  name: string,
  argument: string,
  lostSeconds: number,
): Promise<PrintedCheckRun | undefined> {
  return (await db.run<PrintedCheckRun>('check-runs.run', [name, argument, lostSeconds]))[0];
}
