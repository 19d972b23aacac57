/** Sends a file to an import piece by piece; the server says where the next one begins. */
import { ApiFault, send } from '../../core/api.js';
import { readAsUrl } from '../../core/read-file.js';

export interface ShownImport {
  readonly id: string;
  readonly operator_name: string;
  readonly is_own: boolean;
  readonly file_name: string;
  readonly file_bytes: number;
  readonly is_dry: boolean;
  readonly offset: number;
  readonly lines: number;
  readonly counts: { readonly imported: number; readonly skipped: number; readonly refused: number };
  readonly created_at: string;
  readonly ended_at: string | null;
}

export interface RefusedRow {
  readonly line: number;
  readonly faults: readonly { readonly field: string | null; readonly message: string }[];
}

interface PieceAnswer {
  readonly run: ShownImport;
  readonly refused: readonly RefusedRow[];
  readonly wants_bytes: number | null;
}

const FIRST_BYTES = 65_536;
const LEAST_BYTES = 8192;

/** The fields of a file in a request: its first bytes say what is in it. */
export const describeFile = async (file: File) => ({
  file_name: file.name,
  file_bytes: file.size,
  head: await toBase64(file.slice(0, FIRST_BYTES)),
});

/**
 * Sends the rest of a file.
 * @param shown called after each piece, with its refused rows
 * @throws ApiFault when it cannot go on; DOMException AbortError
 */
export async function sendRest(
  file: File,
  begun: ShownImport,
  signal: AbortSignal,
  shown: (run: ShownImport, refused: readonly RefusedRow[]) => void,
): Promise<void> {
  let run = begun;
  let size = FIRST_BYTES;
  while (run.ended_at === null) {
    const { offset } = run;
    const bytes = await toBase64(file.slice(offset, offset + size));
    const path = `/api/imports/${run.id}`;
    try {
      const { data } = await send<PieceAnswer>('POST', `${path}/pieces`, { body: { offset, bytes }, signal });
      // What a piece holds beyond its rows is sent again.
      const used = data.run.offset - offset;
      size = data.wants_bytes ?? Math.min(FIRST_BYTES, Math.max(LEAST_BYTES, Math.ceil(used * 1.25)));
      run = data.run;
      shown(run, data.refused);
    } catch (error) {
      if (!(error instanceof ApiFault) || error.code !== 'import_moved') throw error;
      // An answer was lost, or another tab goes on with it.
      run = (await send<ShownImport>('GET', path, { signal })).data;
      shown(run, []);
    }
  }
}

/** @throws ApiFault when the browser cannot read the file any more */
async function toBase64(blob: Blob): Promise<string> {
  const url = await readAsUrl(blob).catch(() => {
    throw new ApiFault(0, 'file', 'The browser cannot read the file: it was changed or removed. Choose it again.');
  });
  return url.slice(url.indexOf(',') + 1);
}
