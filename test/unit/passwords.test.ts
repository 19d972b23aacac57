import { isOwnWord } from '../../src/server/accounts/own-words.js';
import { findRuleFaults } from '../../src/server/accounts/password-rules.js';
import { assertPasswordAcceptable, findWeaknessAtSignIn, isTooLong } from '../../src/server/accounts/passwords.js';
import { asApiError } from '../../src/server/errors.js';
import type { App } from '../../src/server/runtime/app.js';
import { t } from '../support/tap.js';

const rules = { passwordMinLength: 6, passwordRequiredCharacters: [] as string[] };
const reasons = (password: string, given = rules) => findRuleFaults(password, given).map(({ reason }) => reason);

t.test('length counts bytes', async (t) => {
  t.same(reasons('secret'), []);
  t.same(reasons('ééé'), [], 'three letters, six bytes');
  t.same(findRuleFaults('12345', rules), [{ reason: 'length', message: 'Password should be at least 6 characters.' }]);
});

t.test('required sets', async (t) => {
  const strict = { passwordMinLength: 8, passwordRequiredCharacters: ['abc', '123', ':!'] };
  t.same(reasons('aaaaaa1:', strict), []);
  t.same(reasons('aaaa1', strict), ['length', 'characters']);
  t.equal(
    findRuleFaults('aaaa1', strict)[1]?.message,
    'Password should contain at least one character of each: abc, 123, :!.',
  );
});

t.test('another Unicode form is checked as the one that is hashed', async (t) => {
  const strict = { passwordMinLength: 6, passwordRequiredCharacters: ['ÄÖÜ'.normalize('NFD')] };
  const asked: string[] = [];
  const has = (sha1: Buffer) => Promise.resolve(asked.push(sha1.toString('hex')) === 0);
  const app = { config: strict, passwords: { leaked: { has }, common: null } } as unknown as App;
  for (const form of ['NFC', 'NFD', 'NFKC'] as const) {
    t.equal(await findWeaknessAtSignIn(app, 'Übermut'.normalize(form), {}), null);
    t.same((await findWeaknessAtSignIn(app, 'ÜÖÄ ﬁ'.slice(0, 2).normalize(form), {}))?.reasons, ['length']);
  }
  t.equal(new Set(asked).size, 2);
  t.ok(isOwnWord('josé', [{ user_metadata: { name: 'José'.normalize('NFD') } }], 'https://app.example'));
});

t.test('API errors', async (t) => {
  const app = { config: rules, passwords: { leaked: null, common: null } } as unknown as App;
  const errorOf = (password: string) =>
    assertPasswordAcceptable(app, password).then(
      () => undefined,
      (error: unknown) => asApiError(error),
    );
  t.match(await errorOf(''), {
    status: 422,
    errorCode: 'weak_password',
    extra: { weak_password: { reasons: ['length'] } },
  });
  t.equal(await errorOf('x'.repeat(1024)), undefined);
  t.match(await errorOf('x'.repeat(1025)), { status: 400, errorCode: 'validation_failed' });
});

t.test('the limit counts the form that is hashed, for every form alike', async (t) => {
  const formsOf = (text: string) => [
    text,
    ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form) => text.normalize(form)),
  ];
  for (const fits of ['ü'.repeat(512), '각'.repeat(341), '𝐀'.repeat(1024), '\ufdfa'.repeat(31)]) {
    t.same(formsOf(fits).filter(isTooLong), [], fits.slice(0, 2));
  }
  for (const over of ['ü'.repeat(513), '각'.repeat(342), '𝐀'.repeat(1025), '\ufdfa'.repeat(32), '\ufdfa'.repeat(340)]) {
    t.ok(formsOf(over).every(isTooLong), over.slice(0, 2));
  }
});
