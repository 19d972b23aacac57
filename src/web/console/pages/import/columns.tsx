/** What the columns of a file become, beside what they hold. */
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
      <table class="list" aria-label="Columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Becomes</th>
            <th scope="col" class="from-medium">
              Holds
            </th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, index) => (
            <tr key={index}>
              <td>{column || <span class="muted">(no name)</span>}</td>
              <td>
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
              </td>
              <td class="from-medium">
                {sample
                  .map((row) => row[index] ?? '')
                  .filter((cell) => cell !== '')
                  .slice(0, 3)
                  .join(' · ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

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
