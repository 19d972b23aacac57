import fc from 'fast-check';
import { compileGlob, GlobError } from '../../src/server/redirects/glob.js';
import { compileRedirects } from '../../src/server/redirects/policy.js';
import { holds } from '../support/properties.js';
import { t } from '../support/tap.js';
import { assertQuick } from '../support/worst-case.js';

t.test('SEC-35: what each token matches', async (t) => {
  const table: [pattern: string, matching: string[], other: string[]][] = [
    ['', [''], ['a']],
    ['a*b', ['ab', 'axb', 'a?:#b'], ['a.b', 'a/b', 'abc', 'xab', 'a']],
    ['*', ['', 'abc'], ['a.b', '/', '.']],
    ['**', ['', 'a/b.c'], []],
    ['a**b', ['ab', 'a/x.y/b', 'abb'], ['a', 'ba', 'a/b/c']],
    ['***', ['a/b'], []],
    ['*.b', ['.b', 'a.b'], ['a.a.b', 'b']],
    ['**.b', ['.b', 'a.a.b', '/.b'], ['b']],
    ['?', ['a', '?'], ['', '.', '/', 'ab']],
    ['[abc]', ['a', 'c'], ['d', '', 'ab']],
    ['[./]', ['.', '/'], ['a']],
    ['[!abc]', ['d', '.', '/'], ['a', '']],
    ['[a-c]x', ['ax', 'cx'], ['dx', '-x']],
    ['[!a-c]', ['d', '-', '.'], ['b']],
    ['{a,bc}d', ['ad', 'bcd'], ['abcd', 'd', 'a']],
    ['{a,{b,c}*}.', ['a.', 'b.', 'cxx.'], ['ax.', 'b..']],
    ['{,a}b', ['b', 'ab'], ['aab']],
    ['{**,a}b', ['b', 'a/b', 'x.b'], ['a']],
    ['a,b', ['a,b'], ['a', 'b']],
    ['\\*', ['*'], ['a', '']],
    ['\\\\', ['\\'], ['']],
    ['a:#&=', ['a:#&='], ['a']],
    ['A', ['A'], ['a']],
    ['*a*a*', ['aa', 'xaxax', 'aaa'], ['a', 'a.a']],
    ['**/x/*', ['/x/', 'a/b/x/y', '/x/x/'], ['/x/y/z', 'x/y', '/x/y.z']],
  ];
  for (const [pattern, matching, other] of table) {
    const matches = compileGlob(pattern);
    for (const text of matching) t.equal(matches(text), true, `${pattern} matches ${JSON.stringify(text)}`);
    for (const text of other) t.equal(matches(text), false, `${pattern} does not match ${JSON.stringify(text)}`);
  }
});

t.test('SEC-35: an invalid pattern is an error', async (t) => {
  for (const pattern of ['[a', '[]', '[!]', ']', '{a', 'a}', '[c-a]', '[a-cx]', '[a-bc-d]', 'a\\', '{a,{b}']) {
    t.throws(() => compileGlob(pattern), GlobError, pattern);
  }
});

t.test('SEC-35: agrees with regular expressions', async (t) => {
  const token = fc.constantFrom('a', 'b', '.', '/', '*', '**', '?', '[ab]', '[!a]', '{a,b.}', '{*a,**b}', '{,?}');
  const toRegExp = (pattern: string): string =>
    pattern.replace(/\*{2,}|[*?.{},]|\[!/g, (found) => {
      if (found.startsWith('**')) return '[^]*';
      const known: Record<string, string> = { '*': '[^./]*', '?': '[^./]', '.': '\\.', '{': '(?:', '}': ')', ',': '|' };
      return known[found] ?? '[^';
    });
  const patterns = fc.array(token, { maxLength: 6 }).map((tokens) => tokens.join(''));
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/'), maxLength: 8 });
  holds(
    t,
    fc.property(patterns, texts, (pattern, text) => {
      return compileGlob(pattern)(text) === new RegExp(`^${toRegExp(pattern)}$`).test(text);
    }),
    5000,
  );
});

t.test('SEC-35, SEC-32: 10 kB that do not match take under 5 ms', async (t) => {
  const hard: [pattern: string, text: string][] = [
    ['**a**a**a**a**a**b', 'a'.repeat(10_240)],
    ['*a*a*a*a*a*b', 'a'.repeat(10_240)],
    ['{*a,*aa}{*a,*aa}b', 'a'.repeat(10_240)],
    ['**/**.**/**.b', '/.'.repeat(5_120)],
    ['**?????????b', 'x'.repeat(10_240)],
    ['{**,*}{**,*}{**,*}b', 'a'.repeat(10_240)],
  ];
  for (const [pattern, text] of hard) {
    const matches = compileGlob(pattern);
    t.equal(matches(text), false);
    assertQuick(t, pattern, 5, () => matches(text));
  }
  const policy = compileRedirects({
    siteUrl: 'https://app.example.com',
    uriAllowList: Array.from({ length: 20 }, (_, i) => `https://*.x${i}.example.com/**a**a**a**b`),
  });
  const candidate = `https://a.x19.example.com/${'a'.repeat(8_000)}`;
  t.equal(policy.check(candidate).isAllowed, false);
  assertQuick(t, 'a list of 20 patterns', 5, () => policy.check(candidate));
});
