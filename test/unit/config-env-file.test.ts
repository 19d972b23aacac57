import fc from 'fast-check';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const read = (text: string, environment: Record<string, string> = {}) =>
  Object.fromEntries(parseEnvFile(text, environment).values);

t.test('plain lines, export, colon, comments, blank lines', async (t) => {
  t.same(
    read(
      [
        '# comment',
        '',
        '  A=1',
        'export B = two words  # trailing comment',
        'C: colon',
        'D=',
        'E= # only a comment',
        'F=a#b',
        'G=#not a comment',
        'H=http://x/y?a=b&c=d',
        '   # indented comment',
        'I.J=dot',
      ].join('\n'),
    ),
    {
      A: '1',
      B: 'two words',
      C: 'colon',
      D: '',
      E: '',
      F: 'a#b',
      G: '#not a comment',
      H: 'http://x/y?a=b&c=d',
      'I.J': 'dot',
    },
  );
});

t.test('the last of two equal names takes precedence', async (t) => {
  t.same(read('A=1\nA=2'), { A: '2' });
});

t.test('single quotes are literal and may span lines', async (t) => {
  t.same(read(`A='$B \\n "x" # y' # comment\nB='one\ntwo'\nC=3`), { A: '$B \\n "x" # y', B: 'one\ntwo', C: '3' });
});

t.test('double quotes support escapes and may span lines', async (t) => {
  t.same(read('A="a\\nb\\rc\\"d\\\\e\\$A \\t"\nB="one\ntwo" # c\nC=3'), {
    A: 'a\nb\rc"d\\e$A t',
    B: 'one\ntwo',
    C: '3',
  });
});

t.test('CRLF, a lone CR and a byte-order mark', async (t) => {
  t.same(read('\uFEFFA=1\r\nB="x\r\ny"\r\nC=3\rD=4'), { A: '1', B: 'x\ny', C: '3', D: '4' });
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: the file's syntax, not JavaScript's.
const braced = '${OUT}';

t.test('expansion: the file above first, then the environment', async (t) => {
  const environment = { OUT: 'env', A: 'env' };
  t.same(read(`A=file\nB=$A-${braced}\nC="<$A>"\nD=\\$A\nE=5$\nF=$`, environment), {
    A: 'file',
    B: 'file-env',
    C: '<file>',
    D: '$A',
    E: '5$',
    F: '$',
  });
});

t.test('a reference to an unset variable becomes empty, and is reported', async (t) => {
  const { values, undefinedReferences } = parseEnvFile('A=1\nSECRET=abc$def\nLATER=$AFTER\nAFTER=1', {});
  t.equal(values.get('SECRET'), 'abc');
  t.same(undefinedReferences, [
    { line: 2, name: 'SECRET' },
    { line: 3, name: 'LATER' },
  ]);
});

t.test('expansion is not repeated on its result', async (t) => {
  t.same(read("A='$B'\nB=b\nC=$A"), { A: '$B', B: 'b', C: '$B' });
});

t.test('every invalid line is reported with its number, and the rest is read', async (t) => {
  const { values, faults } = parseEnvFile('A=1\nnonsense\nB="x" y\n1C=2\nD="two\nlines"\n=x\nE=5', {});
  t.same(Object.fromEntries(values), { A: '1', D: 'two\nlines', E: '5' });
  t.same(
    faults.map(({ at }) => at),
    ['line 2', 'line 3', 'line 4', 'line 7'],
  );
});

t.test('an open quote is reported where it opens', async (t) => {
  const { faults } = parseEnvFile('A=1\nB="never\nclosed\n', {});
  t.same(faults, [{ at: 'line 2', fault: 'opens a quote that is never closed' }]);
});

t.test('any text survives single quotes, and escaping in double quotes', async (t) => {
  const text = fc.string({ unit: anyCharacter }).filter((value) => !value.includes('\r'));
  holds(
    t,
    fc.property(text, (value) => {
      const escaped = value.replace(/[\\"$]/g, '\\$&');
      const inDouble = read(`A="${escaped}"\nB=1`);
      if (inDouble['A'] !== value || inDouble['B'] !== '1') return false;
      return value.includes("'") || read(`A='${value}'\nB=1`)['A'] === value;
    }),
  );
});

t.test('garbage yields faults only', async (t) => {
  holds(
    t,
    fc.property(
      fc.string({ unit: fc.constantFrom('A', '=', '"', "'", '$', '{', '}', '\\', '\n', '#', ' ', ':') }),
      (text) => {
        parseEnvFile(text, {});
        return true;
      },
    ),
  );
});
