/** A file that is imported through the console, as its page sends it. */
import type { ConsoleAnswer, ConsoleBrowser } from './console-browser.js';

const FIRST_BYTES = 65_536;

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The fields of a file in a request. */
export const fileOf = (name: string, bytes: Buffer) => ({
  file_name: name,
  file_bytes: bytes.length,
  head: base64(bytes.subarray(0, FIRST_BYTES)),
});

export const startImport = (browser: ConsoleBrowser, name: string, bytes: Buffer, rest: object = {}) =>
  browser.post('/api/imports', { ...fileOf(name, bytes), ...rest });

/** @returns the answer to the next piece. @param most bytes of it */
export async function sendPiece(
  browser: ConsoleBrowser,
  run: { readonly id: string; readonly offset: number },
  bytes: Buffer,
  most = FIRST_BYTES,
): Promise<ConsoleAnswer> {
  const { id, offset } = run;
  return browser.post(`/api/imports/${id}/pieces`, { offset, bytes: base64(bytes.subarray(offset, offset + most)) });
}

/** Sends the rest of the file. @returns the run at its end, and the rows that were refused */
export async function finishImport(browser: ConsoleBrowser, begun: { id: string; offset: number }, bytes: Buffer) {
  const refused: unknown[] = [];
  let run: { id: string; offset: number; ended_at?: string | null; counts?: object } = begun;
  for (let most: number | undefined; ; ) {
    const answer = await sendPiece(browser, run, bytes, most);
    if (answer.status !== 200) throw new Error(answer.text);
    refused.push(...answer.body.refused);
    run = answer.body.run;
    most = answer.body.wants_bytes ?? undefined;
    if (run.ended_at != null) return { run, refused };
  }
}

/** All pages of the results. */
export async function readResults(browser: ConsoleBrowser, id: string, query = ''): Promise<string> {
  let text = '';
  for (let cursor = ''; ; ) {
    const { body } = await browser.get(`/api/imports/${id}/results?cursor=${cursor}${query}`);
    text += body.text;
    if (body.next_cursor === null) return text;
    cursor = body.next_cursor;
  }
}
