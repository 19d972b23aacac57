import { composeMail } from '../../src/server/mail/compose.js';
import { createTemplateSource } from '../../src/server/mail/template-source.js';
import { mailKinds } from '../../src/server/message-kinds.js';
import { createTestDatabase } from '../support/database.js';
import { listeningLog, mailConfig, mailTo, startTestMailer } from '../support/mailer.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';

const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '{{ .Token }}',
  '{{ range .Data }}{{ . }}{{ end }}',
  '#{process.env.HOME}',
  '<%= 1 %>',
];

/** Users choose these names. */
const organizationOf = (value: string) => ({ id: 'x', name: value, inviter: value, roles: [value] });

t.test('SEC-42 markup and template syntax in values are text in every built-in mail', async (t) => {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25);
  const templates = createTemplateSource(config, log);
  for (const kind of mailKinds) {
    const plain = await composeMail(
      { config, log, templates },
      mailTo('a@b.c', { kind, newEmail: 'x@b.c', email: 'x', organization: organizationOf('x') }),
    );
    for (const value of hostile) {
      const mail = await composeMail(
        { config, log, templates },
        mailTo('a@b.c', {
          kind,
          email: value,
          organization: organizationOf(value),
          newEmail: value,
          redirectTo: `https://a.example/${value}`,
          data: { value },
        }),
      );
      const tags = (html: string) => html.match(/<[a-z!/][^>]*>/gi)?.map((tag) => tag.replace(/href="[^"]*"/, 'href'));
      t.same(tags(mail.html), tags(plain.html), `${kind}: the same tags`);
      t.notMatch(mail.html, /<script|<img/);
      if (kind === 'email_change' || kind === 'organization_invite')
        t.ok(mail.text.replaceAll('\u2060', '').includes(value), 'unchanged in the text');
    }
  }
  t.same(log.lines, []);
});

t.test('SEC-42 the name of an organization makes no link', async (t) => {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25);
  const parts = { config, log, templates: createTemplateSource(config, log) };
  const shown = async (name: string) => {
    const mail = await composeMail(
      parts,
      mailTo('a@b.c', { kind: 'organization_invite', organization: { id: 'x', name, inviter: name, roles: [] } }),
    );
    return [mail.text, mail.html];
  };
  for (const name of ['Log in at https://evil.example/now', 'evil.example', 'call evil。example', 'http://[::1]/']) {
    for (const text of await shown(name)) {
      t.notOk(text.includes(name), name);
      t.ok(text.replaceAll('\u2060', '').includes(name), 'it looks the same');
    }
  }
  for (const text of await shown('Dr. Ann Ltd.')) t.ok(text.includes('Dr. Ann Ltd.'), 'others are unchanged');
});

t.test('SEC-42 a hostile name in a custom template is text', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post } = startTestMailer(t, database, server.port, {
    settings: { MAILER_SUBJECTS_RECOVERY: 'Hello {{ .Data.name }} + {{ .Email }}' },
  });
  for (const name of hostile) await post({ email: 'a+b@example.com', data: { name } });
  const mails = await server.waitForMails(hostile.length);
  const subjects = mails.map(({ subject }) => subject).sort();
  t.same(subjects, hostile.map((name) => `Hello ${name} + a+b@example.com`).sort(), 'a subject is not HTML');
});

t.test('SEC-42 a subject is one line, and never empty', async (t) => {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25, { MAILER_SUBJECTS_RECOVERY: '{{ .Data.name }}' });
  const parts = { config, log, templates: createTemplateSource(config, log) };
  const subject = async (name: unknown) => (await composeMail(parts, mailTo('a@b.c', { data: { name } }))).subject;
  t.equal(await subject('a\r\nBcc: evil@example.com\0'), 'a Bcc: evil@example.com');
  t.equal(await subject(''), 'Reset Your Password');
  t.equal((await subject('x'.repeat(9999))).length, 250);
});
