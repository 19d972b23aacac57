/** A table with pages by cursor. `j` and `k` move between the links of its rows (shell/shortcuts.ts). */
import type { ComponentChildren } from 'preact';
import { hrefWith, place } from '../core/location.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** From which width of the window it is shown; default: always. */
  readonly from?: 'medium' | 'wide';
  readonly isEnd?: boolean;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly change: (ids: ReadonlySet<string>) => void;
}

interface ListProps<Row> {
  /** Read to screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** How a row is called beside its box to select it. */
  readonly nameOf?: (row: Row) => string;
  readonly selection?: Selection | undefined;
}

export function List<Row>({ label, rows, columns, keyOf, nameOf = keyOf, selection }: ListProps<Row>) {
  const all = rows.map(keyOf);
  const isAll = selection !== undefined && all.length > 0 && all.every((id) => selection.ids.has(id));
  const toggle = (id: string) => {
    const next = new Set(selection!.ids);
    if (!next.delete(id)) next.add(id);
    selection!.change(next);
  };
  return (
    <table class="list" aria-label={label}>
      <thead>
        <tr>
          {selection && (
            <th class="box">
              <input
                type="checkbox"
                aria-label="All rows of this page"
                checked={isAll}
                onChange={() => selection.change(new Set(isAll ? [] : all))}
              />
            </th>
          )}
          {columns.map(({ title, from, isEnd }) => (
            <th key={title} scope="col" class={classOf(from, isEnd)}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={selection?.ids.has(keyOf(row)) ? 'selected' : ''}>
            {selection && (
              <td class="box">
                <input
                  type="checkbox"
                  aria-label={`Select ${nameOf(row)}`}
                  checked={selection.ids.has(keyOf(row))}
                  onChange={() => toggle(keyOf(row))}
                />
              </td>
            )}
            {columns.map(({ title, cell, from, isEnd }) => (
              <td key={title} class={classOf(from, isEnd)}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const classOf = (from: string | undefined, isEnd: boolean | undefined): string =>
  [from && `from-${from}`, isEnd && 'end'].filter(Boolean).join(' ');

/** Links to the first and the next page; Back leads to the one before. */
export function Pager({ next, children }: { readonly next: string | null; readonly children?: ComponentChildren }) {
  const isFirst = !place.value.query.has('cursor');
  if (isFirst && next === null && children === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span>{children}</span>
      {!isFirst && <a href={hrefWith({ cursor: null })}>First page</a>}
      {next !== null && (
        <a href={hrefWith({ cursor: next })} rel="next" data-next>
          Next page
        </a>
      )}
    </nav>
  );
}
