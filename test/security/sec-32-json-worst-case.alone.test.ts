import { parseJsonObject } from '../../src/server/http/json.js';
import { parseQuery } from '../../src/server/http/url.js';
import { t } from '../support/tap.js';
import { assertQuick } from '../support/worst-case.js';

const SIZE = 1_048_576;
const fill = (open: string, unit: string, close: string) =>
  open + unit.repeat(Math.floor((SIZE - open.length - close.length) / unit.length)) + close;

const bodies: Record<string, string> = {
  'one text': fill('{"a":"', 'x', '"}'),
  'escaped text': fill('{"a":"', '\\u00e9', '"}'),
  'escaped pairs': fill('{"a":"', '\\ud83d\\ude00', '"}'),
  'text beyond ASCII': `{"a":"${'é'.repeat(SIZE / 2 - 4)}"}`,
  backslashes: fill('{"a":"', '\\\\', '"}'),
  'runs of backslashes': fill('{"a":"', `${'\\'.repeat(511)}"`, 'x"}'),
  'short runs of backslashes': fill('{"a":["', `${'\\'.repeat(254)}","`, '"]}'),
  'open brackets': fill('{"a":', '[', ''),
  'empty arrays': fill('{"a":[', '[],', '[]]}'),
  numbers: fill('{"a":[', '1,', '1]}'),
  'long numbers': fill('{"a":[', `${'9'.repeat(300)},`, '1]}'),
  'numbers of a hundred digits': fill('{"a":[', `${'9'.repeat(105)},`, '1]}'),
  'many keys': `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}}`,
  'white space': fill('{', ' ', '}'),
  'text without end': fill('{"a":"', 'x', ''),
};

t.test('SEC-32 the worst bodies and queries of full size are read, or rejected, in under 5 ms', async (t) => {
  for (const [name, text] of Object.entries(bodies)) {
    const bytes = Buffer.from(text);
    assertQuick(t, name, 5, () => orRefuse(() => parseJsonObject(bytes)));
  }
  for (const unit of ['a&', '%41', 'a=%zz&', '+', '&', '=', '%25']) {
    const query = unit.repeat(16_384 / unit.length);
    assertQuick(t, `query of ${unit}`, 5, () => orRefuse(() => parseQuery(query)));
  }
});

/** An error is a valid result. */
function orRefuse(work: () => unknown): void {
  try {
    work();
  } catch {}
}
