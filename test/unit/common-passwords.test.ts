import { isOwnWord } from '../../src/server/accounts/own-words.js';
import { openPasswordChecks } from '../../src/server/passwords/index.js';
import { t } from '../support/tap.js';
import { assertQuick } from '../support/worst-case.js';

const config = {
  hibpEnabled: false,
  hibpApiUrl: '',
  hibpUserAgent: '',
  hibpFile: '',
  commonPasswordList: true,
};
const log = { warn: () => undefined, info: () => undefined };

t.test('the built-in list', async (t) => {
  const { common } = await openPasswordChecks({ config, log });
  for (const word of ['123456', 'password', 'PassWord', 'qwerty123', 'trustno1', 'iloveyou']) {
    t.equal(common?.has(word), true, word);
  }
  for (const word of ['correct horse battery', 'ghost-lamp-71', '', 'passwordx9', 'ÿ'.repeat(6)]) {
    t.equal(common?.has(word), false, word);
  }
  t.equal((await openPasswordChecks({ config: { ...config, commonPasswordList: false }, log })).common, null);
});

t.test('words of the account', async (t) => {
  const owner = {
    email: 'Alice.Liddell@wonder.example',
    phone: '15550001111',
    user_metadata: { full_name: 'Alice P. Hargreaves', age: 7 },
  };
  const isOwn = (password: string) => isOwnWord(password, [owner], 'https://app.rabbithole.example/x');
  for (const word of [
    'alice.liddell@wonder.example',
    'ALICE.LIDDELL',
    'aliceliddell',
    'Liddell1865!',
    '!!hargreaves!!',
    'alice p. hargreaves',
    '15550001111',
    'Rabbithole1',
    'app.rabbithole.example',
  ]) {
    t.equal(isOwn(word), true, word);
  }
  for (const word of ['alice through the glass', 'xliddell', 'app123456', 'p.......', '7777777', 'correct horse', '']) {
    t.equal(isOwn(word), false, word);
  }
  t.equal(isOwnWord('secret-of-nobody', [{}], 'http://localhost:3000'), false);
  assertQuick(t, 'linear', 20, () => isOwn(`a${'1'.repeat(1022)}!`));
});
