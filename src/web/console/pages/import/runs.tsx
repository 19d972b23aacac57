/** Imports of the last week, and what became of their rows. */
import { useState } from 'preact/hooks';
import { asFault, pathWith, send } from '../../core/api.js';
import { saveFile } from '../../core/save-file.js';
import { toast } from '../../core/state.js';
import { Badge } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty } from '../../parts/view.js';
import type { ShownImport } from './pieces.js';

const columns: readonly Column<ShownImport>[] = [
  { title: 'File', cell: ({ file_name }) => file_name },
  { title: 'State', cell: (run) => <RunState run={run} /> },
  { title: 'Rows', from: 'medium', cell: ({ counts, is_dry }) => describeCounts(counts, is_dry) },
  { title: 'By', from: 'wide', cell: ({ operator_name }) => operator_name },
  { title: 'Begun', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Results', isEnd: true, cell: (run) => <Results run={run} label="Download" /> },
];

const RunState = ({ run: { ended_at, is_dry } }: { readonly run: ShownImport }) => {
  if (ended_at === null) return <Badge tone="warn">unfinished</Badge>;
  return is_dry ? <Badge>tried</Badge> : <Badge tone="ok">imported</Badge>;
};

/** As `3 imported, 1 refused`. */
export function describeCounts({ imported, skipped, refused }: ShownImport['counts'], isDry: boolean): string {
  const parts = [
    [imported, isDry ? 'can be imported' : 'imported'],
    [skipped, 'there already'],
    [refused, 'refused'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString('en')} ${what}`);
  return shown.join(', ') || 'no rows yet';
}

export const Runs = ({ runs }: { readonly runs: readonly ShownImport[] }) => (
  <section>
    <h2>Imports of the last week</h2>
    {runs.length === 0 ? (
      <Empty title="Nothing has been imported here">
        <p>
          The command <code>latchkey users import</code> takes the same files on the server.
        </p>
      </Empty>
    ) : (
      <List label="Imports" rows={runs} columns={columns} keyOf={({ id }) => id} />
    )}
  </section>
);

interface ResultsProps {
  readonly run: ShownImport;
  readonly label: string;
  /** Rows that were refused, without the others. */
  readonly isRefused?: boolean;
}

interface ResultPage {
  readonly text: string;
  readonly next_cursor: string | null;
}

async function readPage(id: string, cursor: string, isRefused: boolean): Promise<ResultPage> {
  const only = isRefused ? 'refused' : null;
  return (await send<ResultPage>('GET', pathWith(`/api/imports/${id}/results`, { cursor, only }))).data;
}

/** Downloads a result for each row, page by page. */
export function Results({ run, label, isRefused = false }: ResultsProps) {
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const texts: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: ResultPage = await readPage(run.id, cursor, isRefused);
        texts.push(page.text);
        cursor = page.next_cursor;
      }
      const name = run.file_name.replace(/\.\w+$/, '');
      saveFile(new Blob(texts, { type: 'text/csv' }), `${name}.${isRefused ? 'refused' : 'results'}.csv`);
    } catch (error) {
      toast(asFault(error).message, true);
    }
    setBusy(false);
  };
  return (
    <button
      type="button"
      class="plain small"
      aria-label={`${label}: results of ${run.file_name}`}
      aria-busy={isBusy}
      onClick={() => void download()}
    >
      {label}
    </button>
  );
}
