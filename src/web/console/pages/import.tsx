/** Accounts from a file: looked at, tried, then imported. The browser sends it in pieces, so its size does not matter. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault, isAbort, send } from '../core/api.js';
import { useResource } from '../core/resource.js';
import { Alert, Note } from '../parts/alert.js';
import { DeedDialog } from '../parts/dialog.js';
import { Heading } from '../parts/heading.js';
import { View } from '../parts/view.js';
import { Columns, type ImportPreview } from './import/columns.js';
import { describeFile, type RefusedRow, type ShownImport, sendRest } from './import/pieces.js';
import { ImportProgress, MOST_SHOWN, type Sending } from './import/progress.js';
import { Runs } from './import/runs.js';

interface Chosen {
  readonly file: File;
  readonly preview: ImportPreview;
}

export function Page() {
  const runs = useResource<{ readonly imports: readonly ShownImport[] }>('/api/imports');
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [targets, setTargets] = useState<readonly (string | null)[]>([]);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [isAsked, setAsked] = useState(false);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const isRunning = sending?.isRunning === true;

  const choose = async (file: File | undefined) => {
    setFault(null);
    setChosen(null);
    setSending(null);
    if (file === undefined) return;
    try {
      const { data } = await send<ImportPreview>('POST', '/api/imports/preview', { body: await describeFile(file) });
      setTargets(data.targets);
      setChosen({ file, preview: data });
    } catch (error) {
      setFault(asFault(error));
    }
  };

  const goOn = async (file: File, begun: ShownImport, before: readonly RefusedRow[] = []) => {
    const controller = new AbortController();
    abort.current = controller;
    let state: Sending = { run: begun, refused: before, isRunning: true, fault: null };
    const show = (next: Partial<Sending>) => {
      state = { ...state, ...next };
      if (abort.current === controller) setSending(state);
    };
    show({});
    try {
      await sendRest(file, begun, controller.signal, (run, refused) =>
        show({ run, refused: [...state.refused, ...refused].slice(0, MOST_SHOWN) }),
      );
    } catch (error) {
      if (!isAbort(error)) show({ fault: asFault(error) });
    }
    show({ isRunning: false });
    await runs.reload(true);
  };

  /** @throws ApiFault */
  const begin = async ({ file, preview }: Chosen, isDry: boolean, reason?: string) => {
    const body = {
      ...(await describeFile(file)),
      format: preview.format,
      is_dry: isDry,
      reason,
      ...(preview.format === 'csv' && { targets }),
    };
    const { data } = await send<ShownImport>('POST', '/api/imports', { body });
    void goOn(file, data);
  };

  const attempt = async (file: Chosen) => {
    setFault(null);
    try {
      await begin(file, true);
    } catch (error) {
      setFault(asFault(error));
    }
  };

  const tried = sending?.run.is_dry && sending.run.ended_at !== null ? sending.run : null;
  const unfinished = sending === null ? (chosen?.preview.unfinished ?? null) : null;
  return (
    <>
      <Heading title="Import" about="Accounts from a file: CSV, or one JSON object a line." />
      <View of={runs}>
        {({ imports }) => (
          <>
            <form class="stack" onSubmit={(event) => event.preventDefault()}>
              <label class="field">
                <span>
                  File <small>CSV with names in its first line, or JSON lines; UTF-8</small>
                </span>
                <input
                  type="file"
                  accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json"
                  disabled={isRunning}
                  onChange={(event) => void choose(event.currentTarget.files?.[0])}
                />
              </label>
            </form>
            {fault !== null && <Alert fault={fault} />}
            {chosen !== null && unfinished !== null && (
              <Note>
                <p>
                  You have begun to import this file: it stands at line {unfinished.lines.toLocaleString('en')} of it.
                </p>
                <button type="button" class="small" onClick={() => void goOn(chosen.file, unfinished)}>
                  Go on
                </button>
              </Note>
            )}
            {chosen !== null && (sending === null || tried !== null) && (
              <>
                <Columns
                  preview={chosen.preview}
                  targets={targets}
                  change={(next) => {
                    setTargets(next);
                    // What was tried was another import.
                    setSending(null);
                  }}
                />
                <div class="actions">
                  <button type="button" class={tried === null ? '' : 'plain'} onClick={() => void attempt(chosen)}>
                    Try without importing
                  </button>
                  {tried !== null && tried.counts.imported > 0 && (
                    <button type="button" onClick={() => setAsked(true)}>
                      Import {tried.counts.imported.toLocaleString('en')} accounts
                    </button>
                  )}
                </div>
              </>
            )}
            {sending !== null && (
              <ImportProgress
                {...sending}
                stop={() => abort.current?.abort()}
                goOn={() => chosen !== null && void goOn(chosen.file, sending.run, sending.refused)}
              />
            )}
            <Runs runs={imports} />
          </>
        )}
      </View>
      {isAsked && chosen !== null && tried !== null && (
        <DeedDialog
          title={`Import ${tried.counts.imported.toLocaleString('en')} accounts`}
          verb="Import"
          onClose={() => setAsked(false)}
          run={({ reason }) => begin(chosen, false, reason)}
        >
          <p>No mail is sent. Rows that are refused are left out; accounts that are there stay as they are.</p>
        </DeedDialog>
      )}
    </>
  );
}
