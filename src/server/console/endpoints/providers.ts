import { apiError } from '../../errors.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { readProvider, viewProviders } from '../known-providers.js';
import { deedOf } from '../operator-audit.js';
import { readProviderSetup } from '../provider-setup.js';
import { listTraces, openTrace, readTrace } from '../provider-traces.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const provider = {
  name: text,
  title: { type: 'string', description: 'As people know it.' },
  replaced_by: { ...orNull('string'), description: 'It takes no new applications: the provider to use instead.' },
  source: { type: 'string', description: 'configuration or database.' },
  enabled: flag,
  problem: { ...orNull('string'), description: 'Why an enabled one cannot be used.' },
  client_id: orNull('string'),
  callback_url: { type: 'string', description: 'To be registered at the provider, letter by letter.' },
  is_callback_usual: { type: 'boolean', description: 'False: it is not where this server listens.' },
  settings_prefix: { ...orNull('string'), description: 'Of its settings; null: it is in the database.' },
};

export const shownTrace = {
  id: text,
  provider: { type: 'string', description: '`sso:` and an id for a company.' },
  is_dry: { type: 'boolean', description: 'It ends before anything about an account is written.' },
  operator_name: text,
  created_at: text,
  expires_at: { type: 'string', description: 'Its address has to be opened before.' },
  started_at: orNull('string'),
  ended_at: orNull('string'),
  state: {
    enum: ['waiting', 'expired', 'running', 'abandoned', 'session', 'code', 'dry_run', 'denied', 'failed'],
    description: '`abandoned`: the browser did not come back. `session`, `code`, `dry_run`: what it ended with.',
  },
};

const step = objectOf({
  kind: {
    type: 'string',
    description:
      'authorize, discovery, request_token, callback, token, profile_call, id_token, profile, decision or end; of a company saml_request, saml_response, saml_check, saml_person, decision or end.',
  },
  at: text,
  ms: { type: 'number', description: 'How long it took.' },
  is_ok: flag,
  detail: { type: 'object', description: 'By kind. Without tokens, codes, secrets and verifiers.' },
  advice: { ...orNull('string'), description: 'What to do about its error.' },
  says: { ...orNull('string'), description: 'Of a decision: the rule.' },
});

export const getProviders = defineConsole({
  method: 'GET',
  path: '/api/providers',
  role: 'viewer',
  id: 'listProviders',
  tag: 'Settings',
  summary: 'Lists the identity providers, and what is missing before they work.',
  answer: {
    description: 'All that there are, also those that are off.',
    body: objectOf({ providers: listOf(objectOf(provider)) }),
  },
  handler: async (app) => ({ status: 200, body: { providers: await viewProviders(app) } }),
});

export const getProvider = defineConsole({
  method: 'GET',
  path: '/api/providers/{provider}',
  role: 'viewer',
  id: 'readProvider',
  tag: 'Settings',
  summary: 'Returns an identity provider, and what is missing before it works.',
  answer: { description: 'The provider.', body: objectOf({ provider: objectOf(provider) }) },
  errors: ['providerUnknown'],
  handler: async (app, { params }) => ({ status: 200, body: { provider: await readProvider(app, params.provider) } }),
});

export const getProviderSetup = defineConsole({
  method: 'GET',
  path: '/api/providers/{provider}/setup',
  role: 'viewer',
  id: 'readProviderSetup',
  tag: 'Settings',
  summary: 'Returns what to do at an identity provider to register this server, and the settings of the provider.',
  answer: {
    description: 'A provider `custom:…` need not be there yet.',
    body: objectOf({
      callback_url: { type: 'string', description: 'Where this server listens.' },
      register_at: { ...orNull('string'), description: 'The page of the provider that lists applications.' },
      steps: { ...listOf(text), description: 'Words of its pages stand between asterisks.' },
      notes: listOf(text),
      stored_version: { type: 'integer', description: 'As that of /api/settings.' },
      settings: listOf({ type: 'object', description: 'As those of /api/settings.' }),
    }),
  },
  errors: ['providerUnknown'],
  handler: async (app, { params }) => ({ status: 200, body: await readProviderSetup(app, params.provider) }),
});

export const getProviderTraces = defineConsole({
  method: 'GET',
  path: '/api/providers/{provider}/traces',
  role: 'admin',
  id: 'listProviderTraces',
  tag: 'Settings',
  summary: 'Lists the traces of a provider of the last day, newest first.',
  answer: { description: 'At most 20.', body: objectOf({ traces: listOf(objectOf(shownTrace)) }) },
  errors: ['providerUnknown'],
  handler: async (app, { params }) => ({ status: 200, body: { traces: await listTraces(app, params.provider) } }),
});

export const postProviderTrace = defineConsole({
  method: 'POST',
  path: '/api/providers/{provider}/traces',
  role: 'admin',
  body: consoleBody({
    dry: { type: 'boolean', description: 'Default true: it ends before anything about an account is written.' },
    ...reasonField,
  }),
  bodyOptional: true,
  id: 'openProviderTrace',
  tag: 'Settings',
  summary: 'Opens a trace for one sign-in at a provider.',
  description:
    'The sign-in of whoever opens the address within ten minutes is followed, hop by hop, and that of nobody else. Unless it is dry, it signs that person in, which may make an account.',
  answer: {
    status: 201,
    description: 'The address, which works once and is not shown again.',
    body: objectOf({ id: text, url: text, expires_at: text }),
  },
  errors: ['providerUnknown', 'unsupportedProvider'],
  async handler(app, request) {
    const { dry: isDry = true } = request.body ?? {};
    return { status: 201, body: await openTrace(app, deedOf(request), request.params.provider, isDry) };
  },
});

export const getTrace = defineConsole({
  method: 'GET',
  path: '/api/traces/{trace_id}',
  role: 'admin',
  query: { known: { type: 'integer', minimum: 0, description: 'Number of steps that are left out; default 0.' } },
  id: 'readProviderTrace',
  tag: 'Settings',
  summary: 'Returns a trace with its steps, oldest first; to be asked every second until it has ended.',
  answer: { description: 'The trace.', body: objectOf({ ...shownTrace, steps: listOf(step) }) },
  errors: ['traceNotFound', 'badFilter'],
  async handler(app, { params, query }) {
    const known = Number(query.get('known') ?? '0');
    if (!Number.isSafeInteger(known) || known < 0) throw apiError('badFilter', { reason: 'known must be a number' });
    return { status: 200, body: await readTrace(app, params.trace_id, known) };
  },
});
