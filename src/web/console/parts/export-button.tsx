/** Exports what a search finds: the server answers page by page, and the browser puts the pages together. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { saveFile } from '../core/save-file.js';
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
type Format = keyof typeof types;

/** The pages that have come. */
interface Progress {
  readonly format: Format;
  readonly texts: string[];
  rows: number;
  cursor: string | undefined;
}

const begin = (format: Format): Progress => ({ format, texts: [], rows: 0, cursor: undefined });

export function ExportButton({ path, name, filter }: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  const [rows, setRows] = useState(0);
  /** Of the dialog that is open: whoever closes it wants none of it any more. */
  const current = useRef<Progress | null>(null);
  const close = () => {
    current.current = null;
    setOpen(false);
  };
  useEffect(() => close, []);
  if (!may('admin')) return null;
  /** After a fault it goes on where it was: the cursor has the format and the filter. */
  const run = async (format: Format, reason: string | undefined) => {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null && value !== ''));
    const progress = current.current?.format === format ? current.current : begin(format);
    current.current = progress;
    setRows(progress.rows);
    do {
      const body = { format, filter: given, cursor: progress.cursor, reason };
      const { data } = await send<ExportPage>('POST', path, { body });
      // Its dialog is gone, and another one may be open.
      if (current.current !== progress) return 'stays';
      progress.texts.push(data.text);
      progress.rows += data.rows;
      progress.cursor = data.next_cursor ?? undefined;
      setRows(progress.rows);
    } while (progress.cursor !== undefined);
    const file = new Blob(progress.texts, { type: types[format] });
    saveFile(file, `${name}-${new Date().toISOString().slice(0, 10)}.${format}`);
    toast(`${progress.rows.toLocaleString('en')} rows exported`);
    return 'done';
  };
  return (
    <>
      <button
        type="button"
        class="plain"
        onClick={() => {
          current.current = begin('csv');
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
