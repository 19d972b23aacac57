import t from 'tap';
import { assertPasswordAcceptable, findWeakness } from '../../src/server/accounts/passwords.js';
import { throwsRefusal } from '../support/refusals.js';

const rules = { passwordMinLength: 6, passwordRequiredCharacters: [] as string[] };

t.test('length counts bytes', async (t) => {
  t.equal(findWeakness('secret', rules), null);
  t.equal(findWeakness('ééé', rules), null, 'three letters, six bytes');
  t.same(findWeakness('12345', rules), { message: 'Password should be at least 6 characters.', reasons: ['length'] });
});

t.test('required sets, joined into one message', async (t) => {
  const strict = { passwordMinLength: 8, passwordRequiredCharacters: ['abc', '123', ':!'] };
  t.equal(findWeakness('aaaaaa1:', strict), null);
  t.same(findWeakness('aaaa1', strict), {
    message:
      'Password should be at least 8 characters. Password should contain at least one character of each: abc, 123, :!.',
    reasons: ['length', 'characters'],
  });
});

t.test('refusals', async (t) => {
  throwsRefusal(t, () => assertPasswordAcceptable('', rules), {
    status: 422,
    errorCode: 'weak_password',
    extra: { weak_password: { reasons: ['length'] } },
  });
  t.doesNotThrow(() => assertPasswordAcceptable('x'.repeat(1024), rules));
  throwsRefusal(t, () => assertPasswordAcceptable('x'.repeat(1025), rules), {
    status: 400,
    errorCode: 'validation_failed',
  });
});
