/** Exports what a search finds: the server answers page by page, and the browser puts the pages together. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { may, toast } from '../core/state.js';
import { DeedDialog } from './dialog.js';
import { Choice } from './field.js';

interface ExportProps {
  /** Such as `/api/users/export`. */
  readonly path: string;
  /** Of the file. */
  readonly name: string;
  /** Parameters of the search. */
  readonly filter: Readonly<Record<string, string | null>>;
}

interface ExportPage {
  readonly text: string;
  readonly rows: number;
  readonly next_cursor: string | null;
}

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

export function ExportButton({ path, name, filter }: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  const [rows, setRows] = useState(0);
  const isWanted = useRef(false);
  const close = () => {
    isWanted.current = false;
    setOpen(false);
  };
  useEffect(() => close, []);
  if (!may('admin')) return null;
  const run = async (format: keyof typeof types, reason: string | undefined) => {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null && value !== ''));
    const texts: string[] = [];
    let count = 0;
    for (let cursor: string | undefined; ; ) {
      const { data } = await send<ExportPage>('POST', path, { body: { format, filter: given, cursor, reason } });
      if (!isWanted.current) return;
      texts.push(data.text);
      count += data.rows;
      setRows(count);
      if (data.next_cursor === null) break;
      cursor = data.next_cursor;
    }
    save(new Blob(texts, { type: types[format] }), `${name}-${new Date().toISOString().slice(0, 10)}.${format}`);
    toast(`${count.toLocaleString('en')} rows exported`);
  };
  return (
    <>
      <button
        type="button"
        class="plain"
        onClick={() => {
          isWanted.current = true;
          setRows(0);
          setOpen(true);
        }}
      >
        Export
      </button>
      {isOpen && (
        <DeedDialog
          title={`Export ${name}`}
          verb="Export"
          onClose={close}
          run={({ form, reason }) => run(form.get('format') === 'csv' ? 'csv' : 'ndjson', reason)}
        >
          <p>What the search finds, all pages of it. Texts that a spreadsheet would calculate get an apostrophe.</p>
          <Choice
            label="Format"
            name="format"
            choices={[
              ['csv', 'CSV, for spreadsheets'],
              ['ndjson', 'NDJSON, one object a line'],
            ]}
          />
          <p role="status" class="muted">
            {rows > 0 && `${rows.toLocaleString('en')} rows so far`}
          </p>
        </DeedDialog>
      )}
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
