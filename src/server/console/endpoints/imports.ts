import { readImportResults } from '../../../db/import-runs.js';
import { apiError } from '../../errors.js';
import { fileFormats } from '../../importing/file-rows.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { exportFormats, renderRows } from '../export-rows.js';
import { type ImportResultRow, importResultRows } from '../import-results.js';
import { type ImportResult, importPiece } from '../import-rows.js';
import { type ImportHead, listRuns, previewImport, readRun, startImport, viewRun } from '../import-runs.js';
import { deedOf } from '../operator-audit.js';

const run = objectOf({
  id: { type: 'string' },
  operator_name: { type: 'string' },
  is_own: { type: 'boolean' },
  file_name: { type: 'string' },
  file_bytes: { type: 'integer' },
  format: { type: 'string' },
  is_dry: { type: 'boolean', description: 'Nothing is stored but what would become of the rows.' },
  offset: { type: 'integer', description: 'Byte at which the next piece begins.' },
  lines: { type: 'integer', description: 'Lines before that.' },
  counts: objectOf({
    imported: { type: 'integer' },
    skipped: { type: 'integer' },
    refused: { type: 'integer' },
  }),
  created_at: { type: 'string' },
  updated_at: { type: 'string' },
  ended_at: orNull('string'),
});

const fileFields = {
  file_name: { type: 'string', maxLength: 1024, description: 'Name of the file.' },
  file_bytes: { type: 'integer', minimum: 1, description: 'Its length in bytes.' },
  head: textField('Its first 64 kB at most, in base64.'),
  format: { type: 'string', enum: fileFormats, description: 'csv or ndjson; default: by its name, then by its text.' },
} as const;
/** In base64. */
const MAX_HEAD_BYTES = 131_072;
const MAX_PIECE_BYTES = 786_432;

const headOf = (body: {
  readonly file_name: string;
  readonly file_bytes: number;
  readonly head: string;
  readonly format?: (typeof fileFormats)[number];
}): ImportHead => ({
  fileName: body.file_name,
  fileBytes: body.file_bytes,
  bytes: Buffer.from(body.head, 'base64'),
  format: body.format,
});

export const postImportPreview = defineConsole({
  method: 'POST',
  path: '/api/imports/preview',
  role: 'admin',
  maxBodyBytes: MAX_HEAD_BYTES,
  body: consoleBody(fileFields, 'file_name', 'file_bytes', 'head'),
  id: 'previewImport',
  tag: 'Users',
  summary:
    'Reads the first lines of a file of accounts: its columns, what they may become, and an import of it that is not over.',
  answer: {
    description:
      'What the file looks like. `targets`: a field for each column, null: left out. `sample`: cells of the first rows.',
    body: objectOf({
      format: { type: 'string' },
      delimiter: orNull('string'),
      columns: listOf({ type: 'string' }),
      targets: listOf(orNull('string')),
      fields: listOf({ type: 'string' }),
      sample: listOf(listOf({ type: 'string' })),
      unfinished: { ...run, type: ['object', 'null'] },
    }),
  },
  errors: ['importFileUnreadable'],
  async handler(app, { caller, body }) {
    return { status: 200, body: await previewImport(app, caller.id, headOf(body)) };
  },
});

export const getImports = defineConsole({
  method: 'GET',
  path: '/api/imports',
  role: 'admin',
  id: 'listImports',
  tag: 'Users',
  summary: 'Returns the imports of the last week, newest first.',
  answer: { description: 'At most 20.', body: objectOf({ imports: listOf(run) }) },
  async handler(app, { caller }) {
    return { status: 200, body: { imports: await listRuns(app, caller.id) } };
  },
});

export const postImport = defineConsole({
  method: 'POST',
  path: '/api/imports',
  role: 'admin',
  stepUp: true,
  maxBodyBytes: MAX_HEAD_BYTES,
  body: consoleBody(
    {
      ...fileFields,
      targets: {
        type: 'array',
        items: { type: ['string', 'null'] },
        maxItems: 1000,
        description: 'A field for each column of CSV; default: by their names.',
      },
      is_dry: { type: 'boolean', description: 'Stores nothing: the results say what would become of the rows.' },
      ...reasonField,
    },
    'file_name',
    'file_bytes',
    'head',
  ),
  id: 'startImport',
  tag: 'Users',
  summary: 'Begins an import, or a trial. Its rows follow in pieces.',
  answer: { status: 201, description: 'The import.', body: run },
  errors: ['importFileUnreadable', 'importColumns'],
  async handler(app, request) {
    const { targets, is_dry: isDry = false } = request.body;
    const given = targets as readonly (string | null)[] | undefined;
    return { status: 201, body: await startImport(app, deedOf(request), headOf(request.body), given, isDry) };
  },
});

export const getImport = defineConsole({
  method: 'GET',
  path: '/api/imports/{import_id}',
  role: 'admin',
  id: 'readImport',
  tag: 'Users',
  summary: 'Returns an import: how far it has come.',
  answer: { description: 'The import.', body: run },
  errors: ['importNotFound'],
  async handler(app, { caller, params }) {
    return { status: 200, body: viewRun(await readRun(app, params.import_id), caller.id) };
  },
});

export const postImportPiece = defineConsole({
  method: 'POST',
  path: '/api/imports/{import_id}/pieces',
  role: 'admin',
  stepUp: true,
  maxBodyBytes: MAX_PIECE_BYTES,
  body: consoleBody(
    {
      offset: { type: 'integer', minimum: 0, description: 'Byte of the file at which the piece begins.' },
      bytes: textField('The piece, in base64.'),
    },
    'offset',
    'bytes',
  ),
  id: 'importPiece',
  tag: 'Users',
  summary: 'Imports the first 125 rows at most of a piece of the file. The import says where the next one begins.',
  answer: {
    description:
      'The import, and the rows of the piece that were refused. `wants_bytes`: no row ends in the piece, and a longer one is wanted.',
    body: objectOf({ run, refused: listOf({ type: 'object' }), wants_bytes: orNull('integer') }),
  },
  errors: ['importNotFound', 'importOfOther', 'importMoved', 'importFileChanged'],
  async handler(app, { id, caller, params, body }) {
    const deed = { operator: caller, requestId: id };
    const piece = Buffer.from(body.bytes, 'base64');
    return { status: 200, body: await importPiece(app, deed, params.import_id, body.offset, piece) };
  },
});

const PIECES = 20;

export const getImportResults = defineConsole({
  method: 'GET',
  path: '/api/imports/{import_id}/results',
  role: 'admin',
  query: {
    format: textField('csv or ndjson; default csv.'),
    only: textField('refused: leaves out the others.'),
    cursor: textField('next_cursor of the page before.'),
  },
  id: 'readImportResults',
  tag: 'Users',
  summary: 'Returns what became of each row, page by page: its line, the id of its account, and faults by column.',
  answer: {
    description: 'A page of the file to download. It is over when next_cursor is null; a page may be empty.',
    body: objectOf({ text: { type: 'string' }, rows: { type: 'integer' }, next_cursor: orNull('string') }),
  },
  errors: ['importNotFound', 'badPagination', 'badFilter'],
  async handler({ db }, { params, query }) {
    const format = exportFormats.find((one) => one === (query.get('format') || 'csv'));
    if (format === undefined) throw apiError('badFilter', { reason: 'format must be csv or ndjson' });
    const cursor = query.get('cursor') || '-1';
    if (!/^-1$|^\d{1,15}$/.test(cursor)) throw apiError('badPagination', { reason: 'cursor is not one of this list' });
    const { id } = await readRun({ db }, params.import_id);
    const pieces = await readImportResults<ImportResult>(db, id, Number(cursor), PIECES);
    const isOnly = query.get('only') === 'refused';
    const results = pieces.flatMap((piece) => piece.results).filter(({ result }) => !isOnly || result === 'refused');
    const rows: readonly ImportResultRow[] = results.flatMap(importResultRows.of);
    return {
      status: 200,
      body: {
        text: renderRows(importResultRows, format, rows, cursor === '-1'),
        rows: results.length,
        next_cursor: pieces.length < PIECES ? null : String(pieces.at(-1)!.position),
      },
    };
  },
});
