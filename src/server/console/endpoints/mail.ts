import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { deedOf } from '../operator-audit.js';
import { listMailTemplates, listTextTemplates, previewOf, readExample } from '../templates.js';
import { discardWaiting, readFailed, readWaiting, retryWaiting } from '../unsent.js';
import { listQuery } from './users.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const integer = { type: 'integer' } as const;
const stage = { ...orNull('string'), description: 'Step of the SMTP session; null for texts and hooks.' };
const MAX_IDS = 200;

const channelQuery = { ...listQuery, channel: { type: 'string', description: 'mail (default) or text.' } } as const;
const idsBody = consoleBody(
  {
    ids: { type: 'array', items: text, minItems: 1, maxItems: MAX_IDS, description: 'Ids of waiting messages.' },
    ...reasonField,
  },
  'ids',
);
const changed = {
  description: 'The ids of both. Those that were skipped are being sent, or are gone.',
  body: objectOf({ done: listOf(text), skipped: listOf(text) }),
} as const;

export const getOutbox = defineConsole({
  method: 'GET',
  path: '/api/mail/outbox',
  role: 'support',
  query: channelQuery,
  id: 'listWaitingMessages',
  tag: 'Mail',
  summary: 'Lists the mails or texts that wait, oldest first, and counts them by the step at which they failed.',
  answer: {
    description: 'A page. Counted are the oldest 10,000.',
    body: objectOf({
      messages: listOf(
        objectOf({
          ...{ id: text, user_id: orNull('string'), kind: text, recipient: orNull('string'), attempts: integer },
          ...{ created_at: text, next_attempt_at: text, is_being_sent: flag },
          ...{ failed_stage: stage, failure: orNull('string') },
        }),
      ),
      next_cursor: orNull('string'),
      stages: listOf(objectOf({ stage, messages: integer, oldest_at: text })),
    }),
  },
  errors: ['badPagination', 'badFilter'],
  handler: async (app, { query }) => ({ status: 200, body: await readWaiting(app, query) }),
});

export const getOutboxFailures = defineConsole({
  method: 'GET',
  path: '/api/mail/failures',
  role: 'viewer',
  query: channelQuery,
  id: 'listFailedMessages',
  tag: 'Mail',
  summary: 'Lists the mails or texts that were given up within a week, newest first, and counts them by step.',
  answer: {
    description: 'A page. `reason`: refused, expired, or unknown: it may have arrived. Counted are the newest 10,000.',
    body: objectOf({
      messages: listOf(
        objectOf({
          ...{ id: text, user_id: orNull('string'), kind: text, recipient: orNull('string'), attempts: integer },
          ...{ reason: text, stage, failure: orNull('string'), created_at: text, failed_at: text },
        }),
      ),
      next_cursor: orNull('string'),
      stages: listOf(objectOf({ reason: text, stage, messages: integer, newest_at: text })),
    }),
  },
  errors: ['badPagination', 'badFilter'],
  handler: async (app, { query }) => ({ status: 200, body: await readFailed(app, query) }),
});

export const postOutboxRetry = defineConsole({
  method: 'POST',
  path: '/api/mail/outbox/retry',
  role: 'support',
  body: idsBody,
  id: 'retryMessages',
  tag: 'Mail',
  summary: 'Tries waiting messages at once.',
  answer: changed,
  handler: async (app, request) => ({
    status: 200,
    body: await retryWaiting(app, deedOf(request), request.body.ids),
  }),
});

export const postOutboxDiscard = defineConsole({
  method: 'POST',
  path: '/api/mail/outbox/discard',
  role: 'admin',
  body: idsBody,
  id: 'discardMessages',
  tag: 'Mail',
  summary: 'Discards waiting messages.',
  answer: changed,
  handler: async (app, request) => ({
    status: 200,
    body: await discardWaiting(app, deedOf(request), request.body.ids),
  }),
});

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

export const getTemplatePreview = defineConsole({
  method: 'GET',
  path: '/api/mail/templates/{kind}',
  role: 'viewer',
  query: exampleQuery,
  id: 'previewMail',
  tag: 'Mail',
  summary: 'Composes a mail with the data of an example.',
  answer: {
    description: 'Subject and plain text; the HTML has an address of its own.',
    body: objectOf({ subject: text, text, problems }),
  },
  errors: ['messageKindUnknown', 'exampleDataInvalid'],
  async handler(app, { params, query }) {
    const example = readExample(query.get('language'), query.get('data'));
    const { subject, text: plain, problems: found } = await previewOf(app, params.kind, example);
    return { status: 200, body: { subject, text: plain, problems: found } };
  },
});

/**
 * A mail has styles in its elements, which the policy of the console forbids, and a frame with `srcdoc` inherits the policy
 * of its page. So it is a document of its own: without origin, scripts, forms and anything from elsewhere.
 */
const MAIL_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export const getTemplateHtml = defineConsole({
  method: 'GET',
  path: '/api/mail/templates/{kind}/html',
  role: 'viewer',
  query: { ...exampleQuery, scheme: { type: 'string', description: 'light or dark.' } },
  id: 'previewMailHtml',
  tag: 'Mail',
  summary: 'Composes a mail with the data of an example, as a document for a frame of the console.',
  answer: { description: 'The mail. Its images and links lead nowhere.', contentType: 'text/html', body: text },
  errors: ['messageKindUnknown', 'exampleDataInvalid'],
  async handler(app, { params, query }) {
    const example = readExample(query.get('language'), query.get('data'));
    const { html } = await previewOf(app, params.kind, example);
    // After the end of the document, which parsers put into its body.
    const look = query.get('scheme') === 'dark' ? '<style>:root { color-scheme: dark; }</style>\n' : '';
    return {
      status: 200,
      body: html + look,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': MAIL_POLICY,
        'X-Frame-Options': 'SAMEORIGIN',
      },
    };
  },
});
