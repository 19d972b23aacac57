/** Mails and the sign-in page as changes would have them that are not stored. */
import { openTestConsole } from '../support/console.js';
import { makePng } from '../support/images.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';

const png = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;
const words = (contents: object) => JSON.stringify(contents);

t.test('a mail of a draft: its language, its unknown variables, and what is hostile', async (t) => {
  const console = await openTestConsole(t, { MAILER_CONTENTS_INVITE: words({ de: { subject: 'Einladung' } }) });
  const browser = await console.signIn('admin');
  const show = async (changes: object, more: object = {}) =>
    (await browser.post('/api/mail/preview', { kind: 'recovery', changes, ...more })).body;
  const name = 'AUTH_MAILER_CONTENTS_RECOVERY';
  const contents = {
    default: { subject: 'Hi {{ .Emial }}', body: '<p>{{ .Data.full_name }} {{ .Token }}{{ .Nothing }}</p>' },
    de: { subject: 'Hallo', body: '<p>Hallo {{ .Data.full_name }}</p>' },
  };
  const changes = { [name]: words(contents) };
  t.match(await show(changes), {
    subject: 'Hi',
    text: 'Ada Example 000000\n',
    ...{ problems: [], faults: [], unknown: ['Emial', 'Nothing'] },
  });
  t.match(await show(changes, { language: 'de-CH' }), { subject: 'Hallo', text: 'Hallo Ada Example\n', unknown: [] });
  const style = {
    default: { body: '<style>@media (prefers-color-scheme: dark) { p { color: red } }</style><p>x</p>' },
  };
  t.match(await show({ [name]: words(style) }), { html: /@media \(max-width:0\).*color-scheme: light/s });
  t.match(await show({ [name]: words(style) }, { scheme: 'dark' }), {
    html: /@media \(min-width:0\).*color-scheme: dark/s,
  });

  for (const [text, problem] of [
    [words({ de: { body: '<p>{{ if .Token }}</p>' } }), /in de a body that does not work/],
    [words({ de: { body: '{{ .Token | nothing }}' } }), /Unknown function nothing/],
    [words({ de: { body: 'x'.repeat(70_000) } }), /more than 65536 bytes/],
  ] as const) {
    t.match(await show({ [name]: text }), { faults: [{ name, problem }], subject: 'Reset Your Password' });
  }
  t.match(await show({ AUTH_NOTHING: 'x' }), { faults: [{ name: 'AUTH_NOTHING', problem: 'is not a setting' }] });
  const loop = '{{ range .Data.many }}{{ range $.Data.many }}{{ range $.Data.many }}x{{ end }}{{ end }}{{ end }}';
  t.match(await show({ [name]: words({ default: { body: loop } }) }, { data: `{"many":[${'1,'.repeat(99)}1]}` }), {
    problems: [/body does not work/],
    html: /Reset your password/,
  });
  t.match(await show({ AUTH_MAILER_CONTENTS_INVITE: null }, { kind: 'invite', language: 'de' }), {
    subject: 'You have been invited',
  });
  const { mails } = (await browser.get('/api/mail/templates')).body;
  t.match(
    mails.find(({ kind }: { kind: string }) => kind === 'invite'),
    { languages: ['de'], has_own_template: true },
    'nothing was stored',
  );
  t.equal((await browser.post('/api/mail/preview', { kind: 'nothing', changes: {} })).status, 404);
  t.equal((await browser.post('/api/mail/preview', { kind: 'invite', changes: {}, data: '[]' })).status, 400);
  t.equal((await browser.post('/api/mail/preview', { kind: 'invite' })).status, 400);
  t.equal((await browser.post('/api/mail/preview', { kind: 'invite', changes: { [name]: 5 } })).status, 400);
  const support = await console.signIn('support');
  t.equal((await support.post('/api/mail/preview', { kind: 'invite', changes: {} })).status, 403);
});

t.test('a test mail of a draft goes to the operator, or says the stage that failed', async (t) => {
  const mailServer = await openTestMailServer(t, { user: 'mailer', password: 'right' });
  const other = await openTestMailServer(t, { user: 'mailer', password: 'right' });
  const console = await openTestConsole(t, {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(mailServer.port),
    SMTP_USER: 'mailer',
    SMTP_PASS: 'right',
    SMTP_ADMIN_EMAIL: 'no-reply@latchkey.example',
  });
  const browser = await console.signIn('admin', 'ann@example.com');
  const attempt = async (body: object) => (await browser.post('/api/mail/test', body)).body;
  const contents = words({ de: { subject: 'Hallo', body: '<p>Hallo {{ .Email }}</p>' } });
  const good = await attempt({
    kind: 'recovery',
    language: 'de',
    changes: { AUTH_MAILER_CONTENTS_RECOVERY: contents },
  });
  t.match(good, { to: 'ann@example.com', is_good: true, stage: null, faults: [] });
  t.ok(good.steps.some(({ stage }: { stage: string }) => stage === 'auth'));
  const [mail] = await mailServer.waitForMails(1);
  t.match(mail, { subject: 'Hallo', to: [{ address: 'ann@example.com' }] });

  const wrong = await attempt({ changes: { AUTH_SMTP_PASS: 'wrong' } });
  t.match(wrong, {
    is_good: false,
    stage: 'auth',
    problem: /refused user or password/,
    cure: /AUTH_SMTP_USER and AUTH_SMTP_PASS/,
  });
  t.notMatch(JSON.stringify(wrong), /"wrong"|right/, 'no password');

  const elsewhere = { changes: { AUTH_SMTP_PORT: String(other.port) } };
  t.match(await attempt(elsewhere), { faults: [{ name: 'AUTH_SMTP_PORT', problem: /owners/ }], steps: [] });
  t.equal(other.connections(), 0, 'an admin chooses no server');
  const owner = await console.signIn('owner', 'olga@example.com');
  const tryAsOwner = async (changes: object) => (await owner.post('/api/mail/test', { changes })).body;
  t.match(await tryAsOwner(elsewhere.changes), { is_good: true });
  t.match(await tryAsOwner({ AUTH_SMTP_PORT: '1' }), { stage: 'connect' });
  t.match(await tryAsOwner({ AUTH_SMTP_PORT: 'many' }), { faults: [{ name: 'AUTH_SMTP_PORT' }], steps: [] });
  t.match(await tryAsOwner({ AUTH_SMTP_HOST: '' }), { faults: [{ problem: /no mail leaves/ }] });
  t.equal((await (await console.signIn('admin', 'bob')).post('/api/mail/test', { changes: {} })).status, 422);
  t.equal((await (await console.signIn('support')).post('/api/mail/test', { changes: {} })).status, 403);
  const { rows } = await console.database.admin.query(
    "select payload -> 'traits' as traits from audit_log where payload ->> 'action' = 'check_started' order by created_at limit 1",
  );
  t.match(rows, [{ traits: { check: 'smtp', draft: ['AUTH_MAILER_CONTENTS_RECOVERY'] } }]);
});

t.test('the sign-in page of a draft: one document that loads nothing', async (t) => {
  const console = await openTestConsole(t, { SITE_URL: 'https://app.example.com' });
  const browser = await console.signIn('admin');
  const show = async (changes: object, more: object = {}) =>
    (await browser.post('/api/look/preview', { changes, ...more })).body;
  const present = (await browser.get('/api/look/preview')).body;
  t.match(present, { faults: [], html: /app\.example\.com/ });
  t.notMatch(present.html, /<script|<link|autofocus|src="assets/);
  t.match(present.html, /<style>.*--accent:#1d56e0.*@media \(max-width:0\)/s);
  t.match((await browser.get('/api/look/preview?scheme=dark&language=de')).body.html, /lang="de".*min-width:0/s);

  const logo = png(makePng(3, 2));
  const changes = {
    AUTH_PAGES_NAME: 'Nice & <b>bold</b>',
    AUTH_PAGES_LOGO: logo,
    AUTH_PAGES_COLORS: 'accent:#0b6b3a',
    AUTH_PAGES_RADIUS: '2',
    AUTH_PAGES_FONT: 'Georgia, serif',
  };
  const own = await show(changes);
  t.same(own.faults, []);
  t.ok(own.html.includes(`<img src="${logo}" alt="Nice &#38; &#60;b&#62;bold&#60;/b&#62;">`));
  t.match(own.html, /--accent:#0b6b3a.*--radius:2px;--font:Georgia, serif/s);
  t.match(await show({ ...changes, AUTH_PAGES_COLORS: 'accent:#8fb0ff' }), {
    faults: [{ name: 'AUTH_PAGES_COLORS', problem: /^leaves a contrast of/ }],
    html: /--accent:#8fb0ff/,
  });
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="x"><script>1</script></svg>').toString('base64')}`;
  t.match(await show({ AUTH_PAGES_LOGO: svg }), { faults: [{ name: 'AUTH_PAGES_LOGO', problem: /script/ }] });
  t.match(await show({ AUTH_PAGES_TEXTS: '{"en":{"nothing":"x"}}' }), {
    faults: [{ name: 'AUTH_PAGES_TEXTS', problem: /no page has the text "nothing"/ }],
  });
  t.match((await show({ AUTH_PAGES_TEXTS: '{"en":{"sign_in.title":"</style><p>Ha"}}' })).html, /&#60;\/style&#62;/);

  // A path in a draft reads no file.
  for (const name of ['AUTH_PAGES_LOGO_FILE', 'AUTH_OAUTH_SERVER_PAGE_CSS']) {
    const read = await show({ [name]: '/etc/passwd' });
    t.notMatch(read.html, /root:|cm9vdD/);
  }
  const support = await console.signIn('support');
  t.equal((await support.post('/api/look/preview', { changes: {} })).status, 403);
  t.equal((await support.get('/api/look/preview')).status, 200);

  const frame = await support.get('/api/preview-frame');
  t.match(frame.headers, {
    'content-security-policy': /^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[\w+/=]+';/,
    'x-frame-options': 'SAMEORIGIN',
    'content-type': 'text/html; charset=utf-8',
  });
});
