/** Mails in the operator's own words: AUTH_MAILER_CONTENTS_<kind>. */

import { listVariables } from '../../src/go-template/index.js';
import { chooseContent, parseMailContents } from '../../src/server/config/parse-mail-contents.js';
import { composeMail, previewMail } from '../../src/server/mail/compose.js';
import { createTemplateSource } from '../../src/server/mail/template-source.js';
import { listeningLog, mailConfig, mailTo } from '../support/mailer.js';
import { t } from '../support/tap.js';

const contents = {
  default: { subject: 'Hello {{ .Email }}', body: '<p>Hello {{ .Data.full_name }}, {{ .Token }}</p>' },
  de: { subject: 'Hallo', body: '<p>Hallo {{ .Data.full_name }}, {{ .Token }}</p>' },
  'pt-br': { subject: 'Olá' },
};

function open(settings: Record<string, string>) {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25, settings);
  const templates = createTemplateSource(config, log);
  const message = (data: object) => ({ ...mailTo('ada@example.com'), data: data as never });
  return {
    compose: (data: object) => composeMail({ config, log, templates }, message(data)),
    preview: (data: object) => previewMail({ config, templates }, message(data)),
  };
}

t.test('a mail is in the language of its user, part by part', async (t) => {
  const { compose, preview } = open({ MAILER_CONTENTS_RECOVERY: JSON.stringify(contents) });
  const name = { full_name: 'Ada <b>' };
  t.match(await compose({ ...name, locale: 'de-AT' }), {
    subject: 'Hallo',
    html: '<p>Hallo Ada &lt;b&gt;, 314159</p>',
    text: 'Hallo Ada <b>, 314159\n',
  });
  t.match(await compose({ ...name, locale: 'nl', language: 'DE' }), { subject: 'Hallo' });
  t.match(await compose(name), { subject: 'Hello ada@example.com', html: '<p>Hello Ada &lt;b&gt;, 314159</p>' });
  t.match(
    await compose({ ...name, locale: 'pt_BR' }),
    { subject: 'Olá', html: /^<p>Hello/ },
    'its body is the default',
  );
  for (const locale of ['constructor', '__proto__', 5, null, ['de']]) {
    t.match(await compose({ ...name, locale }), { subject: /^Hello/ }, String(locale));
  }
  t.same((await preview({ locale: 'de' })).problems, []);
});

t.test('other settings and the built-in mail fill in what has no words', async (t) => {
  const { compose } = open({
    MAILER_CONTENTS_RECOVERY: '{"de":{"body":"<p>Kode {{ .Token }}</p>"}}',
    MAILER_SUBJECTS_RECOVERY: 'Own subject',
  });
  t.match(await compose({ locale: 'de' }), { subject: 'Own subject', html: '<p>Kode 314159</p>' });
  t.match(await compose({ locale: 'fr' }), { subject: 'Own subject', html: /Reset your password/ });
});

t.test('a body that fails with the data of a mail is replaced by the built-in one', async (t) => {
  const body = '{{ range .Data.many }}{{ range $.Data.many }}{{ range $.Data.many }}x{{ end }}{{ end }}{{ end }}';
  const { preview } = open({ MAILER_CONTENTS_RECOVERY: JSON.stringify({ default: { body } }) });
  const { html, problems } = await preview({ many: Array(100).fill(1) });
  t.match(html, /Reset your password/);
  t.match(problems, [/body does not work.*steps/]);
});

t.test('what cannot be used is refused with the language and the line', async (t) => {
  const faults: [text: string, fault: RegExp][] = [
    ['{', /must be a JSON object/],
    ['[]', /must be a JSON object/],
    ['{"German":{}}', /language tags such as de/],
    ['{"de":{},"DE":{}}', /names the language de twice/],
    ['{"de":"x"}', /in de something other than an object/],
    ['{"de":{"subjekt":"x"}}', /in de something other than an object/],
    ['{"de":{"subject":5}}', /no text, or empty/],
    ['{"de":{"body":" "}}', /no text, or empty/],
    ['{"de":{"subject":"a\\nb"}}', /more than one line/],
    ['{"de":{"subject":"{{ .Email"}}', /in de a subject that does not work: .*line 1/],
    ['{"de":{"body":"<p>\\n{{ if .Token }}x"}}', /in de a body that does not work: .*line 2/],
    ['{"de":{"body":"{{ .Token | nothing }}"}}', /Unknown function nothing/],
    [JSON.stringify({ de: { body: 'x'.repeat(65_537) } }), /more than 65536 bytes/],
    [JSON.stringify({ de: { body: '{{ if .A }}'.repeat(2000) } }), /does not work/],
    [
      JSON.stringify(Object.fromEntries([...Array(21).keys()].map((n) => [`x${String.fromCharCode(97 + n)}`, {}]))),
      /at most 20/,
    ],
  ];
  for (const [text, fault] of faults) {
    t.match((parseMailContents(text) as { fault: string }).fault, fault, text.slice(0, 60));
  }
  t.match(parseMailContents('{"DE":{"subject":"x"},"default":{}}'), { value: { de: { subject: 'x' } } });
  t.same(chooseContent({}, null), {});
});

t.test('the values that a template reads at its top', async (t) => {
  t.same(listVariables('{{ .Email }}{{ if .Token }}{{ .Link.Deeper }}{{ else }}{{ printf "%s" .Other }}{{ end }}'), [
    'Email',
    'Token',
    'Link',
    'Other',
  ]);
  t.same(
    listVariables(
      '{{ range .Data.list }}{{ .name }}{{ $.Email }}{{ end }}{{ with .Data }}{{ .x }}{{ else }}{{ .Y }}{{ end }}',
    ),
    ['Data', 'Email', 'Y'],
  );
  t.throws(() => listVariables('{{ .Email'), /line 1/);
});
