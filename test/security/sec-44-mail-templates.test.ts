import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../src/server/config/load.js';
import { composeMail } from '../../src/server/mail/compose.js';
import { createTemplateSource, resolveTemplateUrl } from '../../src/server/mail/template-source.js';
import { listeningLog, mailConfig, mailTo } from '../support/mailer.js';
import { findQuickest } from '../support/quickest.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

type Answer = http.RequestListener;

async function openTemplateServer(t: Test, answer: Answer) {
  const state = { answer, requests: 0 };
  const server = http.createServer((request, response) => {
    state.requests += 1;
    state.answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, port });
}

function openSource(settings: Record<string, string>, clock: { now: number } = { now: 0 }) {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25, settings);
  const templates = createTemplateSource(config, log, { now: () => clock.now });
  const compose = () => composeMail({ config, log, templates }, mailTo('ada@example.com'));
  return { log, clock, compose, templates };
}

const page =
  (html: string): Answer =>
  (_, response) =>
    response.end(html);
const isBuiltIn = (html: string) => html.includes('<h2') && html.includes('Reset your password');

t.test('SEC-44 a template is fetched, used, and cached', async (t) => {
  const server = await openTemplateServer(t, page('\ufeff<p>one {{ .Token }}</p>'));
  const { compose, clock } = openSource({ MAILER_TEMPLATES_RECOVERY: `${server.url}/recovery.html` });
  const mails = await Promise.all([compose(), compose(), compose()]);
  t.same(
    mails.map(({ html }) => html),
    Array(3).fill('<p>one 314159</p>'),
  );
  t.equal(server.requests, 1, 'one request for all callers');
  server.answer = page('<p>two</p>');
  clock.now += 599_000;
  t.equal((await compose()).html, '<p>one 314159</p>');
  clock.now += 2000;
  t.equal((await compose()).html, '<p>two</p>');
  t.equal(server.requests, 2);
});

t.test('SEC-44 a path is appended to SITE_URL', async (t) => {
  const server = await openTemplateServer(t, (request, response) => response.end(`<p>${request.url}</p>`));
  const { compose } = openSource({ SITE_URL: `${server.url}/app`, MAILER_TEMPLATES_RECOVERY: '/mail/recovery.html' });
  t.equal((await compose()).html, '<p>/app/mail/recovery.html</p>');
  t.equal(resolveTemplateUrl('x.html', 'https://a.example'), 'https://a.examplex.html', 'by concatenation');
});

t.test('SEC-44 after a failure the built-in body is used, with a pause before the next request', async (t) => {
  const failures: Record<string, Answer> = {
    'not found': (_, response) => response.writeHead(404).end('no'),
    'a redirect to another host': (_, response) =>
      response.writeHead(302, { location: 'http://localhost:1/elsewhere' }).end(),
    'too large': page('x'.repeat(1_000_001)),
    'cut in the middle': (request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('<p>');
      setTimeout(() => request.destroy(), 20);
    },
    closed: (request) => request.destroy(),
    'not a template': page('{{ if .X }}'),
    'a tag name from a value': page('<{{ .Token }}>'),
    'unsupported, on a way not taken': page('{{ if .No }}{{ break }}{{ end }}'),
  };
  for (const [name, answer] of Object.entries(failures)) {
    const server = await openTemplateServer(t, answer);
    const { compose, clock, log } = openSource({ MAILER_TEMPLATES_RECOVERY: `${server.url}/a?key=secret-key` });
    t.ok(isBuiltIn((await compose()).html), name);
    await compose();
    t.equal(server.requests, 1, `${name}: no second request at once`);
    t.match(log.lines[0], { level: 'warn', mail_type: 'recovery' });
    t.notMatch(JSON.stringify(log.lines), /secret-key|314159|feedface/);
    server.answer = page('<p>good</p>');
    clock.now += 600_001;
    t.equal((await compose()).html, '<p>good</p>', `${name}: fetched later`);
  }
});

t.test('SEC-44 a slow template takes 10 s at most', async (t) => {
  const server = await openTemplateServer(t, (_, response) => {
    const timer = setInterval(() => response.write('<p>'), 200);
    response.on('close', () => clearInterval(timer));
  });
  const { ms, result } = await findQuickest(11_000, () =>
    openSource({ MAILER_TEMPLATES_RECOVERY: server.url }).compose(),
  );
  t.ok(isBuiltIn(result.html));
  t.ok(ms < 11_000, `${Math.round(ms)} ms`);
});

t.test('SEC-44 the copy fetched before stays in use while a fetch fails', async (t) => {
  const server = await openTemplateServer(t, page('<p>good</p>'));
  const { compose, clock } = openSource({ MAILER_TEMPLATES_RECOVERY: server.url });
  t.equal((await compose()).html, '<p>good</p>');
  server.answer = (_, response) => response.writeHead(500).end();
  clock.now += 600_001;
  t.equal((await compose()).html, '<p>good</p>');
  clock.now += 5000;
  await compose();
  t.equal(server.requests, 2, 'no request within AUTH_MAILER_TEMPLATE_RETRY_INTERVAL');
  clock.now += 5001;
  await compose();
  t.equal(server.requests, 3);
});

t.test('templates are loaded at the start, and reloaded in the background while mails use them', async (t) => {
  const server = await openTemplateServer(t, page('<p>first</p>'));
  const { compose, clock, templates } = openSource({
    MAILER_TEMPLATES_RECOVERY: server.url,
    MAILER_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION: server.url,
    MAILER_TEMPLATE_RELOADING_ENABLED: 'true',
    MAILER_TEMPLATE_RELOADING_MAX_IDLE: '20m',
  });
  templates.load();
  t.equal((await compose()).html, '<p>first</p>');
  t.equal(server.requests, 1, 'none for a notice that is off');
  templates.reload();
  t.equal((await compose()).html, '<p>first</p>');
  t.equal(server.requests, 1, 'the copy is fresh');

  let answer = () => undefined as unknown;
  server.answer = (_, response) => {
    answer = () => response.end('<p>second</p>');
  };
  clock.now += 600_001;
  templates.reload();
  t.equal((await compose()).html, '<p>first</p>', 'no mail waits for it');
  await until(() => server.requests === 2);
  answer();
  for (let i = 0; i < 100 && (await compose()).html !== '<p>second</p>'; i++) await pause(20);
  t.equal((await compose()).html, '<p>second</p>');
  t.equal(server.requests, 2, 'one fetch for all');

  server.answer = (_, response) => response.writeHead(500).end();
  clock.now += 600_001;
  templates.reload();
  await until(() => server.requests === 3);
  t.equal((await compose()).html, '<p>second</p>', 'a failed reload keeps the copy');

  server.answer = page('<p>third</p>');
  clock.now += 1_200_001;
  await pause(50);
  templates.reload();
  await pause(50);
  t.equal(server.requests, 3, 'none without mails');
  t.equal((await compose()).html, '<p>third</p>', 'after a long pause a mail waits for it');
});

t.test('SEC-44 only https, and http on this machine', async (t) => {
  for (const url of ['http://templates.example/a.html', 'http://127.0.0.1.example/a', 'httpx://a']) {
    const { compose, log } = openSource({ MAILER_TEMPLATES_RECOVERY: url });
    t.ok(isBuiltIn((await compose()).html), url);
    t.match(log.lines[0], { error: /https/ }, url);
  }
});

t.test('the settings of size and interval apply', async (t) => {
  const server = await openTemplateServer(t, page('<p>12345</p>'));
  const settings = {
    MAILER_TEMPLATES_RECOVERY: server.url,
    MAILER_TEMPLATE_MAX_SIZE: '5',
    MAILER_TEMPLATE_RETRY_INTERVAL: '1',
  };
  const { compose, clock } = openSource(settings);
  t.ok(isBuiltIn((await compose()).html));
  clock.now += 1001;
  await compose();
  t.equal(server.requests, 2);
});

t.test('latchkey check templates names setting, line, construct and what to write instead', async (t) => {
  const server = await openTemplateServer(t, page('<p>\n{{ if .No }}<p>{{ break }}{{ end }}'));
  const emptyFile = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const check = (settings: Record<string, string>) =>
    runCommand(['check', 'templates'], testEnvironment('postgres://user@127.0.0.1/none', settings), emptyFile);
  t.match(await check({}), { code: 0, out: /built-in/ });
  const settings = {
    MAILER_TEMPLATES_RECOVERY: server.url,
    MAILER_TEMPLATES_INVITE: server.url,
    MAILER_SUBJECTS_MAGIC_LINK: '{{ call .Token }}',
    SMS_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION: '{{ template "x" }}',
  };
  const { code, out } = await check(settings);
  t.equal(code, 1);
  t.match(out, /refused AUTH_MAILER_TEMPLATES_RECOVERY\n.*line 2: {{ break }} is not supported: put what follows/);
  t.match(out, /refused AUTH_MAILER_SUBJECTS_MAGIC_LINK\n.*line 1: The function call is not supported/);
  t.match(
    out,
    /refused AUTH_SMS_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION\n.*line 1: No template "x": add {{ define "x" }}/,
  );

  const { notices } = loadConfig({
    environment: testEnvironment('postgres://user@127.0.0.1/none', settings),
    file: null,
  });
  const named = notices.filter(({ message }) => message.includes('does not work')).map(({ variable }) => variable);
  t.same(named, ['AUTH_MAILER_SUBJECTS_MAGIC_LINK', 'AUTH_SMS_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION'], 'at start');

  const { log, templates } = openSource(settings);
  templates.load();
  await until(() => log.lines.length === 2);
  t.match(
    log.lines[0],
    { level: 'warn', mail_type: /recovery|invite/, error: /line 2: {{ break }}/ },
    'not at the first mail',
  );

  server.answer = page(
    '{{ define "code" }}<b>{{ slice . 0 3 }} {{ slice . 3 }}</b>{{ end }}{{ template "code" .Token }}',
  );
  t.match(await check({ MAILER_TEMPLATES_RECOVERY: server.url }), {
    code: 0,
    out: /^ok +AUTH_MAILER_TEMPLATES_RECOVERY/,
  });
  const mail = await openSource({ MAILER_TEMPLATES_RECOVERY: server.url }).compose();
  t.equal(mail.html, '<b>314 159</b>');
});
