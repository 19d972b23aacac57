/** The loop of an import of organizations: batches of lines of one type, in the order of the file. */
import { isBlank } from '../../importing/file-rows.js';
import type { RawRecord } from '../../importing/records.js';
import { RowFault } from '../../importing/rows.js';
import { BATCH, type RowResult, storeOrDivide } from '../../importing/stage.js';
import type { LineStore } from './store-lines.js';
import { type LineType, lineTypes, readTransferLine, type TransferLine } from './transfer-lines.js';

type LineCounts = Record<'imported' | 'skipped' | 'refused', number>;
export type ImportedLines = Record<LineType, LineCounts> & {
  /** Refused before their type was known. */
  unreadable: number;
};

export interface ImportEvents {
  /** All lines up to this one are done; the byte after it. */
  onBatch(line: number, offset: number): void;
  onRefused(line: number, reason: string): void;
}

interface Batch {
  readonly type: LineType;
  readonly items: TransferLine['item'][];
  readonly lines: number[];
}

/**
 * @param fromLine the first one that counts
 * @throws the error of the database, or of the file
 */
export async function importLines(
  records: AsyncIterable<RawRecord>,
  store: LineStore,
  fromLine: number,
  { onBatch, onRefused }: ImportEvents,
): Promise<ImportedLines> {
  const counts = noCounts();
  const now = new Date().toISOString();
  let batch: Batch | null = null;

  async function finishBatch(): Promise<void> {
    if (batch === null) return;
    const { type, items, lines } = batch;
    const results = await storeOrDivide({ store: storeOf(store, type) }, items);
    for (const [position, result] of results.entries()) count(type, lines[position]!, result);
    batch = null;
  }

  function count(type: LineType, line: number, result: RowResult): void {
    if (result === 'imported' || result === 'skipped') counts[type][result] += 1;
    else {
      counts[type].refused += 1;
      onRefused(line, typeof result === 'string' ? result : result.reason);
    }
  }

  for await (const record of records) {
    if (record.line < fromLine || isBlank(record)) continue;
    const read = readSafely(record, now);
    if (typeof read === 'string') {
      counts.unreadable += 1;
      onRefused(record.line, read);
      continue;
    }
    if (batch !== null && (batch as Batch).type !== read.type) await finishBatch();
    batch ??= { type: read.type, items: [], lines: [] };
    batch.items.push(read.item);
    batch.lines.push(record.line);
    if (batch.items.length < BATCH) continue;
    await finishBatch();
    onBatch(record.line, record.next.offset);
  }
  await finishBatch();
  return counts;
}

/** Lines of one type are items of its function. */
const storeOf = (
  store: LineStore,
  type: LineType,
): ((items: readonly TransferLine['item'][]) => Promise<RowResult[]>) =>
  store[type] as (items: readonly TransferLine['item'][]) => Promise<RowResult[]>;

/** @returns why the line cannot be read, as text */
function readSafely(record: RawRecord, now: string): TransferLine | string {
  try {
    return readTransferLine(record, now);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    return error.message;
  }
}

const noCounts = (): ImportedLines => ({
  ...(Object.fromEntries(lineTypes.map((type) => [type, { imported: 0, skipped: 0, refused: 0 }])) as Record<
    LineType,
    LineCounts
  >),
  unreadable: 0,
});
