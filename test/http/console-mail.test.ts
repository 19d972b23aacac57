/** Operators see mails that wait or failed, try them again or discard them, and look at templates. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTestConsole, type SignedInOperator, type TestConsole } from '../support/console.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const smtp = (port: number) => ({
  SMTP_HOST: '127.0.0.1',
  SMTP_PORT: String(port),
  SMTP_ADMIN_EMAIL: 'no-reply@latchkey.example',
});

async function recover({ post }: TestConsole): Promise<{ id: string; email: string }> {
  const email = freshEmail();
  const { body } = await post('/signup', { email, password });
  await post('/recover', { email });
  return { id: body.user.id, email };
}

type Waiting = { id: string; user_id: string; recipient: string; failed_stage: string | null; is_being_sent: boolean };
const waitingOf = async (browser: SignedInOperator) =>
  (await browser.get('/api/mail/outbox')).body.messages as Waiting[];
async function untilFailed(browser: SignedInOperator, count: number): Promise<Waiting[]> {
  let found: Waiting[] = [];
  await until(async () => {
    found = (await waitingOf(browser)).filter((one) => one.failed_stage !== null && !one.is_being_sent);
    return found.length === count;
  });
  return found;
}

t.test('mails that wait: why, tried again at once, discarded, each with its audit entry', async (t) => {
  const mailServer = await openTestMailServer(t);
  mailServer.react = (step) => (step === 'recipient' ? { code: 450, text: 'greylisted, come back later' } : 'accept');
  const console = await openTestConsole(t, smtp(mailServer.port));
  const browser = await console.signIn('admin', 'ann');
  t.same(await waitingOf(browser), []);
  const [first, second] = [await recover(console), await recover(console)];
  const waiting = await untilFailed(browser, 2);
  t.match(waiting, [
    {
      ...{ user_id: first.id, recipient: first.email, kind: 'recovery', attempts: 1, failed_stage: 'recipient' },
      failure: /greylisted/,
    },
    { user_id: second.id, recipient: second.email },
  ]);
  const { body, text } = await browser.get('/api/mail/outbox?limit=1');
  t.match(body.stages, [{ stage: 'recipient', messages: 2 }]);
  t.notMatch(text, /sealed|token/, 'neither code nor link');
  t.equal(
    (await browser.get(`/api/mail/outbox?limit=1&cursor=${body.next_cursor}`)).body.messages[0].id,
    waiting[1]!.id,
  );
  t.same((await browser.get('/api/mail/outbox?channel=text')).body.messages, []);
  t.equal((await browser.get('/api/mail/outbox?channel=pigeon')).status, 400);

  mailServer.react = () => 'accept';
  const [kept, dropped] = waiting as [Waiting, Waiting];
  const missing = '00000000-0000-4000-8000-000000000000';
  const discarded = await browser.post('/api/mail/outbox/discard', { ids: [dropped.id, missing, 'x'], reason: 'spam' });
  t.same(discarded.body, { done: [dropped.id], skipped: [missing, 'x'] });
  t.same((await browser.post('/api/mail/outbox/retry', { ids: [kept.id, dropped.id] })).body, {
    done: [kept.id],
    skipped: [dropped.id],
  });
  await mailServer.waitForMails(1);
  await until(async () => (await waitingOf(browser)).length === 0);
  t.equal(mailServer.mails[0]!.to[0], first.email);
  t.same((await browser.post('/api/mail/outbox/retry', { ids: [kept.id] })).body, { done: [], skipped: [kept.id] });
  const { rows } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' like 'messages_%' order by created_at",
  );
  t.equal(rows.length, 2, 'nothing done is no entry');
  t.match(rows, [
    {
      payload: {
        action: 'messages_discarded',
        traits: { operator: { name: 'ann' }, reason: 'spam', messages: [[dropped.id, 'recovery']] },
      },
    },
    { payload: { action: 'messages_retried', traits: { messages: [[kept.id, 'recovery']] } } },
  ]);
  const support = await console.signIn('support');
  t.equal((await support.post('/api/mail/outbox/discard', { ids: [kept.id] })).status, 403);
});

t.test('mails that were given up stay for a week, with the step and the reply', async (t) => {
  const mailServer = await openTestMailServer(t);
  mailServer.react = (step) => (step === 'recipient' ? { code: 550, text: 'no such mailbox' } : 'accept');
  const console = await openTestConsole(t, smtp(mailServer.port));
  const browser = await console.signIn('viewer');
  const { id, email } = await recover(console);
  const failures = async () => (await browser.get('/api/mail/failures')).body;
  await until(async () => (await failures()).messages.length === 1);
  t.match(await failures(), {
    messages: [
      {
        ...{ user_id: id, kind: 'recovery', reason: 'refused', stage: 'recipient', attempts: 1 },
        ...{ failure: /no such mailbox/, recipient: email.replace(/^(.).*@/, '$1…@') },
      },
    ],
    stages: [{ reason: 'refused', stage: 'recipient', messages: 1 }],
    next_cursor: null,
  });
  await console.database.admin.query("update outbox_failures set failed_at = now() - interval '8 days'");
  await until(async () => (await failures()).messages.length === 0);
});

/** Serves templates that the test changes. */
async function serveTemplate(t: Test): Promise<{ url: string; set: (html: string) => void }> {
  let html = '';
  const server = createServer((_request, response) => response.end(html)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/recovery.html`,
    set(next) {
      html = next;
    },
  };
}

t.test('templates with the data of an example, as they would be sent', async (t) => {
  const template = await serveTemplate(t);
  template.set(
    '<p lang="{{ .Data.locale }}">{{ if eq .Data.locale "de" }}Hallo{{ else }}Hello{{ end }} {{ .Data.full_name }}, {{ .Token }}</p><script>x</script>',
  );
  const console = await openTestConsole(t, {
    MAILER_TEMPLATES_RECOVERY: template.url,
    MAILER_SUBJECTS_RECOVERY: 'For {{ .Email }}{{ .Nope.Deeper }}',
    SMS_TEMPLATE: 'Your code: {{ .Code }}',
  });
  const browser = await console.signIn('viewer');
  const { mails, texts } = (await browser.get('/api/mail/templates')).body;
  const find = (kind: string) => mails.find((one: { kind: string }) => one.kind === kind);
  t.match(find('recovery'), { has_own_template: true, is_sent: true, in_words: 'a password recovery' });
  t.match(find('invite'), { has_own_template: false, subject: 'You have been invited' });
  t.match(find('password_changed_notification'), { is_notice: true, is_sent: false });
  t.match(texts, [{ kind: 'code', text: 'Your code: 000000' }, { kind: 'factor_code' }]);
  t.match(texts[2], { kind: 'password_changed_notification', text: /^Your password was changed/, problems: [] });

  const preview = async (query = '', kind = 'recovery') =>
    (await browser.get(`/api/mail/templates/${kind}${query}`)).body;
  t.match(await preview('?language=de'), { text: 'Hallo Ada Example, 000000\n' });
  t.match(await preview(`?language=fr&data=${encodeURIComponent('{"full_name":"Zoé <b>"}')}`), {
    text: 'Hello Zoé <b>, 000000\n',
  });
  t.match(await preview('', 'email_changed_notification'), { subject: 'Your email address was changed', problems: [] });
  t.equal((await browser.get('/api/mail/templates/nothing')).status, 404);
  for (const data of ['x', '[]', 'null']) {
    t.equal((await browser.get(`/api/mail/templates/recovery?data=${data}`)).status, 400, data);
  }

  const shown = await preview('?language=de');
  t.match(shown.html, /<p lang="de">Hallo Ada Example, 000000<\/p>.*<style>:root \{ color-scheme: light; \}/s);
  t.match((await preview('?scheme=dark')).html, /color-scheme: dark/);
  t.match(shown, { unknown: ['Nope'], built_in: { subject: 'Reset Your Password', body: /^<!doctype html>/ } });
  t.match(
    shown.variables.find(({ name }: { name: string }) => name === 'Token'),
    { example: '000000' },
  );
  t.equal(
    (await preview('', 'password_changed_notification')).variables.some(
      ({ name }: { name: string }) => name === 'Token',
    ),
    false,
    'a notice has no code',
  );
});

t.test('a template that cannot be used says why, and the built-in one is shown', async (t) => {
  const template = await serveTemplate(t);
  template.set('{{ .Token | nothing }}');
  const console = await openTestConsole(t, { MAILER_TEMPLATES_INVITE: template.url });
  const browser = await console.signIn('viewer');
  const { text, problems } = (await browser.get('/api/mail/templates/invite')).body;
  t.match(problems, [/line 1: Unknown function nothing: a variable begins with a point, \.nothing/]);
  t.match(text, /You have been invited/i);
});
