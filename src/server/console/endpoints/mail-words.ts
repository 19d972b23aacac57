/** Mails with the data of an example: as they are, and as a draft would have them. */

import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { applyToConfig, changesField, MAX_DRAFT_BYTES } from '../draft-config.js';
import { forceScheme, schemeOf } from '../force-scheme.js';
import { deedOf } from '../operator-audit.js';
import { guideOfKind, listMailTemplates, listTextTemplates, previewOf, readExample, readKind } from '../templates.js';
import { tryMail } from '../try-mail.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const exampleQuery = {
  language: { type: 'string', description: 'locale and language of the example, for templates that choose by them.' },
  data: { type: 'string', description: 'More user_metadata of the example, as JSON.' },
} as const;
const problems = { ...listOf(text), description: 'Why a part of an own template is not used.' };

export const getTemplates = defineConsole({
  method: 'GET',
  path: '/api/mail/templates',
  role: 'viewer',
  query: exampleQuery,
  id: 'listTemplates',
  tag: 'Mail',
  summary: 'Lists the kinds of mails, and the texts with the data of an example.',
  answer: {
    description: 'All kinds. `hook_sends_mails`, `hook_sends_texts`: a hook composes them in place of these templates.',
    body: objectOf({
      mails: listOf(
        objectOf({
          ...{ kind: text, in_words: text, subject: text, is_notice: flag, is_sent: flag, has_own_template: flag },
          languages: listOf(text),
        }),
      ),
      texts: listOf(objectOf({ kind: text, is_sent: flag, text, problems })),
      hook_sends_mails: flag,
      hook_sends_texts: flag,
    }),
  },
  errors: ['exampleDataInvalid'],
  handler(app, { query }) {
    const { data } = readExample(query.get('language'), query.get('data'));
    return {
      status: 200,
      body: {
        mails: listMailTemplates(app),
        texts: listTextTemplates(app, data),
        hook_sends_mails: app.config.hooks.send_email.enabled,
        hook_sends_texts: app.config.hooks.send_sms.enabled,
      },
    };
  },
});

const shownMail = {
  subject: text,
  text,
  html: { type: 'string', description: 'For a frame without origin and scripts; its images and links lead nowhere.' },
  problems,
  unknown: { ...listOf(text), description: 'Variables that the mail reads and never has.' },
};

export const getTemplatePreview = defineConsole({
  method: 'GET',
  path: '/api/mail/templates/{kind}',
  role: 'viewer',
  query: { ...exampleQuery, scheme: { type: 'string', description: 'light or dark.' } },
  id: 'previewMail',
  tag: 'Mail',
  summary: 'Composes a mail with the data of an example.',
  answer: {
    description: 'The mail, the variables of its kind, and the built-in words.',
    body: objectOf({
      ...shownMail,
      variables: listOf(objectOf({ name: text, about: text, example: orNull('string') })),
      built_in: objectOf({ subject: text, body: text }),
    }),
  },
  errors: ['messageKindUnknown', 'exampleDataInvalid'],
  async handler(app, { params, query }) {
    const kind = readKind(params.kind);
    const example = readExample(query.get('language'), query.get('data'));
    const { html, ...mail } = await previewOf(app, kind, example);
    const { variables, builtIn } = guideOfKind(app, kind, example);
    const shown = forceScheme(html, schemeOf(query.get('scheme')));
    return { status: 200, body: { ...mail, html: shown, variables, built_in: builtIn } };
  },
});

const faults = {
  ...listOf(objectOf({ name: text, problem: text })),
  description: 'Changes that cannot be used; the mail is without them.',
};

export const postMailPreview = defineConsole({
  method: 'POST',
  path: '/api/mail/preview',
  role: 'admin',
  maxBodyBytes: MAX_DRAFT_BYTES,
  body: consoleBody(
    {
      kind: textField('Kind of mail.'),
      language: textField(exampleQuery.language.description),
      data: textField(exampleQuery.data.description),
      scheme: textField('light or dark.'),
      changes: changesField,
    },
    'kind',
    'changes',
  ),
  id: 'previewMailDraft',
  tag: 'Mail',
  summary: 'Composes a mail as changes of settings would have it, which are not stored.',
  answer: { description: 'The mail.', body: objectOf({ ...shownMail, faults }) },
  errors: ['messageKindUnknown', 'exampleDataInvalid'],
  async handler(app, { caller, body }) {
    const kind = readKind(body.kind);
    const { config, faults: found } = applyToConfig(app.config, body.changes, caller.role);
    const { html, ...mail } = await previewOf(app, kind, readExample(body.language, body.data), config);
    return { status: 200, body: { ...mail, html: forceScheme(html, schemeOf(body.scheme)), faults: found } };
  },
});

export const postMailTest = defineConsole({
  method: 'POST',
  path: '/api/mail/test',
  role: 'admin',
  maxBodyBytes: MAX_DRAFT_BYTES,
  body: consoleBody(
    {
      ...reasonField,
      kind: textField('Kind of mail; without it, a sentence that says where it comes from.'),
      language: textField(exampleQuery.language.description),
      changes: changesField,
    },
    'changes',
  ),
  id: 'tryMail',
  tag: 'Mail',
  summary:
    'Sends a mail to the operator alone, whose name must be an address, as changes that are not stored would have it.',
  answer: {
    description: 'Each stage with the replies of the mail server. `faults`: why it was not tried.',
    body: objectOf({
      to: text,
      is_good: flag,
      is_encrypted: flag,
      stage: { ...orNull('string'), description: 'The stage that failed.' },
      problem: orNull('string'),
      cure: orNull('string'),
      steps: listOf(objectOf({ stage: text, replies: listOf(text) })),
      faults,
    }),
  },
  errors: ['messageKindUnknown', 'operatorHasNoAddress'],
  handler: async (app, request) => ({ status: 200, body: await tryMail(app, deedOf(request), request.body) }),
});
