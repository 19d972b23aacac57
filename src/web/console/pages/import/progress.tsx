/** An import that goes on, stands, or is over, with the rows that were refused. */
import type { ApiFault } from '../../core/api.js';
import { Alert } from '../../parts/alert.js';
import { type Column, List } from '../../parts/list.js';
import type { RefusedRow, ShownImport } from './pieces.js';
import { describeCounts, Results } from './runs.js';

/** The page shows the first; the file to download has all. */
export const MOST_SHOWN = 100;

export interface Sending {
  readonly run: ShownImport;
  readonly refused: readonly RefusedRow[];
  readonly isRunning: boolean;
  /** Why it stands. */
  readonly fault: ApiFault | null;
}

interface ProgressProps extends Sending {
  readonly stop: () => void;
  readonly goOn: () => void;
}

interface ShownFault {
  readonly key: string;
  readonly line: number;
  readonly field: string | null;
  readonly message: string;
}

const columns: readonly Column<ShownFault>[] = [
  { title: 'Line', cell: ({ line }) => line.toLocaleString('en') },
  { title: 'Column', cell: ({ field }) => field ?? '–' },
  { title: 'Fault', cell: ({ message }) => message },
];

export function ImportProgress({ run, refused, isRunning, fault, stop, goOn }: ProgressProps) {
  const isOver = run.ended_at !== null;
  const what = run.is_dry ? 'Trial' : 'Import';
  const faults = refused.flatMap(({ line, faults }) =>
    faults.map((one, index) => ({ key: `${line} ${index}`, line, ...one })),
  );
  return (
    <section aria-label={what}>
      <h2>{what}</h2>
      <progress max={run.file_bytes} value={run.offset} aria-label="Progress" />
      <p role="status">
        {isOver ? `${what} over: ` : isRunning ? '' : `Stands at line ${run.lines.toLocaleString('en')}: `}
        {describeCounts(run.counts, run.is_dry)}
      </p>
      {!isOver && !run.is_dry && (
        <p class="muted">
          What has been imported stays if this page is closed. Choose the same file again to go on where it stands.
        </p>
      )}
      {fault !== null && <Alert fault={fault} />}
      <div class="actions">
        {isRunning && (
          <button type="button" class="plain" onClick={stop}>
            Stop
          </button>
        )}
        {!isRunning && !isOver && (
          <button type="button" onClick={goOn}>
            Go on
          </button>
        )}
        {isOver && <Results run={run} label="Download results" />}
        {isOver && run.counts.refused > 0 && <Results run={run} label="Download refused rows" isRefused />}
      </div>
      {faults.length > 0 && (
        <>
          <h3>Refused rows</h3>
          <List label="Refused rows" rows={faults} columns={columns} keyOf={({ key }) => key} />
          {run.counts.refused > refused.length && (
            <p class="muted">
              The first {refused.length} of {run.counts.refused.toLocaleString('en')}; the file to download has all.
            </p>
          )}
        </>
      )}
    </section>
  );
}
