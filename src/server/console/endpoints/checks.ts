import { listChecks, readCheck, startCheck } from '../checks.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { deedOf } from '../operator-audit.js';

const text = { type: 'string' } as const;
const runFields = {
  ...{ name: text, argument: text, operator_name: text, host: text, started_at: text, ended_at: orNull('string') },
  state: { type: 'string', description: 'running, passed, failed, impossible, late, or lost with its process.' },
};
const printedRun = objectOf({ ...runFields, output: text });

export const getChecks = defineConsole({
  method: 'GET',
  path: '/api/checks',
  role: 'viewer',
  id: 'listChecks',
  tag: 'Settings',
  summary: 'Lists the checks of `latchkey check` with their last runs.',
  answer: {
    description:
      'All checks. `argument`: none, url, provider, hook or mail, of `choices`; without choices there is nothing to check.',
    body: objectOf({
      checks: listOf(
        objectOf({
          ...{ name: text, summary: text, help: text, argument: text },
          choices: { type: ['array', 'null'], items: text, description: 'Null: any text.' },
          runs: listOf(objectOf(runFields)),
        }),
      ),
    }),
  },
  handler: async (app) => ({ status: 200, body: { checks: await listChecks(app) } }),
});

export const getCheck = defineConsole({
  method: 'GET',
  path: '/api/checks/{name}',
  role: 'admin',
  query: { argument: { type: 'string', description: 'As it was started with.' } },
  id: 'readCheck',
  tag: 'Settings',
  summary: 'Returns the last run of a check with what it has printed so far.',
  answer: {
    description: 'The run, or null. Passwords and queries of URLs are hidden.',
    body: objectOf({ run: { ...printedRun, type: ['object', 'null'] } }),
  },
  errors: ['checkUnknown'],
  async handler(app, { params, query }) {
    return { status: 200, body: { run: await readCheck(app, params.name, query.get('argument') ?? '') } };
  },
});

export const postCheck = defineConsole({
  method: 'POST',
  path: '/api/checks/{name}',
  role: 'admin',
  body: consoleBody({ argument: textField('One of the choices, or a URL.'), ...reasonField }),
  bodyOptional: true,
  id: 'startCheck',
  tag: 'Settings',
  summary: 'Starts a check, which ends within a minute. Mails go to the operator alone, whose name must be an address.',
  answer: { status: 202, description: 'It runs.' },
  errors: ['checkUnknown', 'checkArgument', 'checkRunning', 'operatorHasNoAddress'],
  async handler(app, request) {
    await startCheck(app, deedOf(request), request.params.name, request.body.argument ?? '');
    return { status: 202 };
  },
});
