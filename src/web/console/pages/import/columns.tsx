/** What the columns of a file become, beside what they hold. */
import { List } from '../../parts/list.js';
import type { ShownImport } from './pieces.js';

export interface ImportPreview {
  readonly format: 'csv' | 'ndjson';
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  readonly targets: readonly (string | null)[];
  readonly fields: readonly string[];
  readonly sample: readonly (readonly string[])[];
  readonly unfinished: ShownImport | null;
}

interface ColumnsProps {
  readonly preview: ImportPreview;
  readonly targets: readonly (string | null)[];
  readonly change: (targets: readonly (string | null)[]) => void;
}

export function Columns({ preview, targets, change }: ColumnsProps) {
  const { format, columns, sample, delimiter } = preview;
  if (format === 'ndjson') {
    return (
      <section>
        <h2>One JSON object a line</h2>
        <pre class="output">{sample.map(([line]) => `${line}\n`).join('')}</pre>
      </section>
    );
  }
  return (
    <section>
      <h2>Columns</h2>
      <p class="muted">
        {columns.length} columns, separated by {delimiter}. Those without a field are left out.
      </p>
      <List
        label="Columns"
        rows={columns.map((column, index) => ({ column, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { title: 'Column', cell: ({ column }) => column || <span class="muted">(no name)</span> },
          {
            title: 'Becomes',
            cell: ({ column, index }) => (
              <select
                aria-label={`Field of ${column || `column ${index + 1}`}`}
                value={targets[index] ?? ''}
                onChange={(event) => change(targets.with(index, event.currentTarget.value || null))}
              >
                <option value="">Left out</option>
                {choicesOf(preview, column).map((field) => (
                  <option key={field} value={field}>
                    {field}
                  </option>
                ))}
              </select>
            ),
          },
          { title: 'Holds', from: 'medium', cell: ({ index }) => sayHeld(sample, index) },
        ]}
      />
    </section>
  );
}

const sayHeld = (sample: ImportPreview['sample'], index: number): string =>
  sample
    .map((row) => row[index] ?? '')
    .filter((cell) => cell !== '')
    .slice(0, 3)
    .join(' · ');

/** The fields of an account, and a key of each kind of metadata that is called as the column. */
function choicesOf({ fields, targets }: ImportPreview, column: string): readonly string[] {
  const key = column
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
  const keys = key === '' ? [] : [`user_metadata.${key}`, `app_metadata.${key}`];
  const suggested = targets.filter((target): target is string => target?.includes('.') ?? false);
  return [...new Set([...fields, ...keys, ...suggested])];
}
