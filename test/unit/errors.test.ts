import { PoolExhaustedError } from '../../src/db/errors.js';
import { apiError, asApiError, catalogue, errorBody, negotiateVersion } from '../../src/server/errors.js';
import { CryptoPoolFullError } from '../../src/workers/errors.js';
import { t } from '../support/tap.js';

t.test('placeholders are filled and unknown ones stay visible', async (t) => {
  t.equal(
    apiError('tooSoonForEmail', { seconds: 59 }).message,
    'For security purposes, you can only request this after 59 seconds.',
  );
  t.match(apiError('badJson').message, /<reason>/);
});

t.test('both body formats', async (t) => {
  const error = apiError(
    'weakPassword',
    { messages: 'Too short.' },
    { extra: { weak_password: { reasons: ['length'] } } },
  );
  t.same(errorBody(error, undefined, 'id'), {
    code: 422,
    error_code: 'weak_password',
    msg: 'Too short.',
    weak_password: { reasons: ['length'] },
  });
  t.same(errorBody(error, '2024-01-01', 'id'), {
    code: 'weak_password',
    message: 'Too short.',
    weak_password: { reasons: ['length'] },
  });
});

t.test('error_id is sent on 5xx of the first format only', async (t) => {
  t.equal(errorBody(apiError('unexpectedFailure'), undefined, 'req-1')['error_id'], 'req-1');
  t.notOk('error_id' in errorBody(apiError('invalidLogin'), undefined, 'req-1'));
  t.notOk('error_id' in errorBody(apiError('unexpectedFailure'), '2024-01-01', 'req-1'));
});

t.test('version negotiation', async (t) => {
  t.equal(negotiateVersion(undefined), undefined);
  t.equal(negotiateVersion('2023-12-31'), undefined);
  t.equal(negotiateVersion('tomorrow'), undefined);
  t.equal(negotiateVersion('2024-01-01'), '2024-01-01');
  t.equal(negotiateVersion('2029-05-05'), '2024-01-01');
});

t.test('an unknown error becomes an API error without its message', async (t) => {
  const secret = Object.assign(new Error('password authentication failed for user "x" at 10.0.0.1'), {
    code: 'DATABASE_UNAVAILABLE',
  });
  const error = asApiError(secret);
  t.equal(error.status, 503);
  t.equal(error.retryAfterSeconds, 1);
  t.notMatch(error.message, /10\.0\.0\.1/);
  t.equal(asApiError(new Error('boom')).status, 500);
  t.equal(asApiError('a string').status, 500);
});

t.test('every entry has a real status and a code', async (t) => {
  for (const [name, [status, code, message]] of Object.entries(catalogue)) {
    t.ok(status >= 400 && status < 600, name);
    t.match(code, /^[a-z]+(?:3?_[a-z]+)*2?$/, name);
    t.ok(message.length > 0, name);
  }
});

t.test('an API error has no stack, and other errors keep theirs', async (t) => {
  const before = Error.stackTraceLimit;
  for (const answer of [apiError('badJson'), new CryptoPoolFullError('full', 1), new PoolExhaustedError()]) {
    t.ok(answer instanceof Error);
    t.notMatch(answer.stack, /\n/, answer.name);
  }
  t.equal(Error.stackTraceLimit, before);
  t.match(new Error('a fault').stack, /errors\.test/);
});
