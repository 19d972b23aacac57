/** CSV of accounts: records that are cut anywhere, hostile cells, and columns. */
import { columnOf, fieldsOfCells, findColumnFaults, suggestTargets } from '../../src/server/importing/columns.js';
import { byteOf, guessDelimiter, readCells } from '../../src/server/importing/csv.js';
import { guessFormat, nameColumns, openRowIds, readLayout, readRecord } from '../../src/server/importing/file-rows.js';
import { type RawRecord, RecordReader } from '../../src/server/importing/records.js';
import { RowFault } from '../../src/server/importing/rows.js';
import { t } from '../support/tap.js';

const csv = { delimiter: byteOf('comma') };

function cut(bytes: Buffer, size: number): RawRecord[] {
  const reader = new RecordReader(csv);
  const records: RawRecord[] = [];
  for (let at = 0; at < bytes.length; at += size) records.push(...reader.push(bytes.subarray(at, at + size)));
  return [...records, ...reader.finish()];
}

const faultsOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof RowFault) return error.faults;
    throw error;
  }
  return [];
};

t.test('records end where RFC 4180 says, wherever the file is cut', async (t) => {
  const text =
    '\ufeffemail,note\r\n"a@x.example","two\r\nlines, ""quoted"""\n\nb@x.example,it\'s 5" long\r\n"c@x.example",é';
  const bytes = Buffer.from(text);
  for (let size = 3; size <= bytes.length; size++) {
    const records = cut(bytes, size);
    t.same(
      records.map(({ line, bytes }) => [line, readCells(bytes, 'comma')]),
      [
        [1, ['email', 'note']],
        [2, ['a@x.example', 'two\r\nlines, "quoted"']],
        [4, ['']],
        [5, ['b@x.example', 'it\'s 5" long']],
        [6, ['c@x.example', 'é']],
      ],
      `pieces of ${size}`,
    );
    for (const { next, line } of records.slice(0, -1)) {
      const [again] = [...new RecordReader(csv, next).push(bytes.subarray(next.offset)), ...[]];
      if (line < 5) t.equal(again!.line, records[records.findIndex((one) => one.line === line) + 1]!.line);
    }
  }
});

t.test(
  'a record of ten megabytes is left out in constant memory, also by a reader that goes on in the middle',
  async (t) => {
    const long = Buffer.from(`x@x.example,"${'a\n'.repeat(5_242_880)}"\n`);
    const bytes = Buffer.concat([Buffer.from('email,note\n'), long, Buffer.from('y@x.example,b\n')]);
    const lines: [number, boolean, number][] = [];
    let place = { offset: 0, lines: 0 };
    while (place.offset < bytes.length) {
      const reader = new RecordReader(csv, place);
      const records = [...reader.push(bytes.subarray(place.offset, place.offset + 1_200_000))];
      for (const { line, exceeds, bytes } of records) lines.push([line, exceeds !== null, bytes.length]);
      place = records.at(-1)?.next ?? reader.leaveOut()!;
    }
    t.same(
      lines.map(([line, isTooLong]) => [line, isTooLong]),
      [
        [1, false],
        [2, true],
        [5_242_883, false],
      ],
    );
    t.ok(lines.every(([, , length]) => length <= 1_048_576));
  },
);

t.test('cells that are none', async (t) => {
  const reasons: [string | Buffer, RegExp][] = [
    ['a,"b', /a quote is not closed: cell 2/],
    ['a,"b"c', /text follows a quote: cell 2/],
    ['a\0,b', /U\+0000/],
    [Buffer.from('caf\xe9,b', 'latin1'), /is no UTF-8/],
  ];
  for (const [text, reason] of reasons) t.throws(() => readCells(Buffer.from(text), 'comma'), reason);
  t.same(readCells(Buffer.from('a,,'), 'comma'), ['a', '', '']);
  t.same(readCells(Buffer.from('"a";b\r'), 'semicolon'), ['a', 'b']);
  t.equal(guessDelimiter('"a,b,c";d'), 'semicolon');
  t.equal(guessDelimiter('a\tb'), 'tab');
  t.equal(guessDelimiter('email'), 'comma');
});

t.test('columns: suggested by their names, twice, missing, of no field', async (t) => {
  const columns = ['E-Mail', 'Full Name', 'Phone Number', 'email', '', 'user_metadata.plan', 'Shoe size'];
  const targets = suggestTargets(columns);
  t.same(targets, ['email', 'user_metadata.full_name', 'phone', null, null, 'user_metadata.plan', null]);
  t.same(findColumnFaults(columns, targets), []);
  t.equal(columnOf(columns, targets, 'email'), 'E-Mail');
  t.equal(columnOf(columns, targets, 'user_metadata'), 'Full Name');
  const messages = (names: string[], become: (string | null)[]) =>
    findColumnFaults(names, become).map((one) => one.message);
  t.same(messages(['a', 'b', 'a'], ['email', null, null]), ['the column a is there twice']);
  t.same(messages(['a', 'b'], ['email', 'email']), ['two columns become email']);
  t.same(messages(['a', 'b'], ['email', 'shoe']), ['shoe is no field of an account']);
  t.same(messages(['a'], ['user_metadata.__proto__']), [
    'user_metadata.__proto__ is no field of an account',
    'a column must become email or phone',
  ]);
  t.same(messages(['a'], ['toString']), ['toString is no field of an account', 'a column must become email or phone']);
  t.same(messages(['a', 'b'], ['email']), ['the file has 2 columns']);

  const names = ['m', 'ok', 'data', 'city', 'made'];
  const become = ['email', 'email_confirmed', 'user_metadata', 'user_metadata.city', 'created_at'];
  t.same(fieldsOfCells(['a@x.example', 'YES', '{"a":1}', 'Ulm', '2024-01-01T00:00:00Z'], names, become), {
    email: 'a@x.example',
    email_confirmed: true,
    user_metadata: { a: 1, city: 'Ulm' },
    created_at: '2024-01-01T00:00:00Z',
    email_confirmed_at: '2024-01-01T00:00:00Z',
  });
  t.same(
    faultsOf(() => fieldsOfCells(['a', 'maybe', '[1]', '', ''], names, become)).map(({ field }) => field),
    ['email_confirmed', 'user_metadata'],
    'all of them',
  );
  t.match(
    faultsOf(() => fieldsOfCells(['a'], names, become)),
    [{ field: null, message: /it has 1 cells, and the first line names 5 columns/ }],
  );
});

t.test('a file: its format, its first line, and faults under the names of its columns', async (t) => {
  t.equal(guessFormat('a.tsv', Buffer.from('{')), 'csv');
  t.equal(guessFormat('a', Buffer.from('\ufeff {"email":1}')), 'ndjson');
  t.equal(guessFormat('a.txt', Buffer.from('email')), 'csv');
  t.throws(() => readLayout('csv', Buffer.from(''), true), /the file is empty/);
  t.throws(() => readLayout('csv', Buffer.from(',,\n'), true), /must name the columns/);
  t.throws(() => readLayout('csv', Buffer.from('a'.repeat(100)), false), /is too long/);
  t.throws(() => readLayout('csv', Buffer.from('\xff\xfee\0m\0', 'latin1'), true), /is no UTF-8/);
  const head = Buffer.from('\ufeff"Mail";"Born, on"\r\nno address;maybe\r\n');
  const { layout, start } = readLayout('csv', head, true);
  t.match(layout, { delimiter: 'semicolon', columns: ['Mail', 'Born, on'], targets: ['email', null] });
  const makeRowId = openRowIds({
    jwtSecret: 'x'.repeat(40),
    jwtPreviousSecrets: [],
    jwtPreviousSecretsValidUntil: null,
  });
  const rules = { audience: 'a', role: 'r', now: '2026-01-01T00:00:00Z', secrets: { open: () => null }, makeRowId };
  const [record] = new RecordReader({ delimiter: byteOf('semicolon') }, start).push(head.subarray(start.offset));
  const mapped = { ...layout, targets: ['email', 'created_at'] };
  t.same(
    nameColumns(
      faultsOf(() => readRecord(record!, mapped, rules)),
      mapped,
    ).map(({ field, message }) => [field, message]),
    [
      ['Mail', 'email is not an address'],
      ['Born, on', 'created_at is not a time such as 2026-01-31T12:00:00Z'],
    ],
  );
  const id = makeRowId(Buffer.from('row'));
  t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.equal(makeRowId(Buffer.from('row')), id);
  t.not(makeRowId(Buffer.from('other')), id);
});
