import { createSealer, hashRecipient } from '../../src/server/mail/seal.js';
import { createTestDatabase } from '../support/database.js';
import { mailTo, outboxRows, startTestMailer } from '../support/mailer.js';
import { t } from '../support/tap.js';

const secrets = { jwtSecret: 'a'.repeat(40), jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null };

t.test('SEC-36 a stored mail reveals neither code, link, address nor data in the database', async (t) => {
  const database = await createTestDatabase(t);
  const message = mailTo('ada@example.com', {
    code: '271828',
    linkToken: `pkce_${'c0ffee'.repeat(9)}`,
    data: { first_name: 'Adaline' },
    redirectTo: 'https://app.example/welcome-page',
  });
  const { post } = startTestMailer(t, database, 1, { timing: { retrySeconds: [600] } });
  await post(message);
  const rows = await outboxRows(database);
  t.equal(rows.length, 1);
  const clear = ['271828', 'c0ffee', 'Adaline', 'welcome-page', 'ada@example.com'];
  const forms = (text: string) => [
    text,
    ...[0, 1, 2].map((shift) => encodedWithin(text, shift)),
    Buffer.from(text).toString('hex'),
  ];
  const dump = JSON.stringify(rows);
  for (const text of clear.flatMap(forms)) t.notOk(dump.includes(text), text);
  t.equal(rows[0]?.['recipient_hash'], hashRecipient('ada@example.com'));
});

/** The base64 of a text inside a longer one, at any offset. */
function encodedWithin(text: string, shift: number): string {
  const encoded = Buffer.from(' '.repeat(shift) + text).toString('base64url');
  return encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(encoded.length / 4) * 4);
}

t.test('SEC-36 sealed mails differ each time, and open only in their own row and with the right secret', async (t) => {
  const sealer = createSealer(secrets);
  const message = mailTo('ada@example.com');
  const [a, b] = [sealer.seal('row-1', message), sealer.seal('row-1', message)];
  t.not(a, b);
  t.same(sealer.open('row-1', a), message);
  t.equal(sealer.open('row-2', a), null, 'moved to another row');
  for (let at = 0; at < Buffer.from(a, 'base64url').length; at += 7) {
    const bytes = Buffer.from(a, 'base64url');
    bytes[at]! ^= 1;
    t.equal(sealer.open('row-1', bytes.toString('base64url')), null, `byte ${at}`);
  }
  t.equal(sealer.open('row-1', a.slice(0, 20)), null);
  t.equal(sealer.open('row-1', ''), null);
  t.equal(createSealer({ ...secrets, jwtSecret: 'b'.repeat(40) }).open('row-1', a), null);
});

t.test('an earlier secret opens its mails while it is accepted', async (t) => {
  const sealed = createSealer(secrets).seal('row-1', mailTo('ada@example.com'));
  const later = { ...secrets, jwtSecret: 'b'.repeat(40), jwtPreviousSecrets: [secrets.jwtSecret] };
  t.ok(createSealer(later).open('row-1', sealed));
  const until = { ...later, jwtPreviousSecretsValidUntil: '2030-01-01T00:00:00Z' };
  t.ok(createSealer(until, () => Date.parse('2029-12-31T00:00:00Z')).open('row-1', sealed));
  t.equal(createSealer(until, () => Date.parse('2030-01-02T00:00:00Z')).open('row-1', sealed), null);
});

t.test('a mail sealed with another secret is left to instances that have it', async (t) => {
  const database = await createTestDatabase(t);
  const otherSealer = createSealer({ ...secrets, jwtSecret: 'c'.repeat(40) });
  const id = '11111111-1111-4111-8111-111111111111';
  const { mailer, log } = startTestMailer(t, database, 1, { timing: { retrySeconds: [0.1] } });
  await database.admin.query("insert into outbox (id, kind, recipient_hash, sealed) values ($1, 'recovery', 'x', $2)", [
    id,
    otherSealer.seal(id, mailTo('ada@example.com')),
  ]);
  mailer.nudge();
  while (mailer.stats().retried < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  t.match(log.lines[0], { stage: 'open', error: /AUTH_JWT_SECRET/ });
  t.equal((await outboxRows(database)).length, 1, 'still there');
});
