import { consoleBody, defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { deedOf } from '../operator-audit.js';
import { checkStoredConfig, readGivenChanges, readStoredConfig, storeConfig } from '../stored-config.js';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
/** All mails in six languages are about 200 kB. */
const MAX_CHANGES_BYTES = 1_048_576;

const changesFields = {
  base_version: { type: 'integer', minimum: 0, description: 'Version of the set that the author has seen; 0: none.' },
  changes: {
    type: 'object',
    description: 'Main name → text as in the environment; null removes the name from the database.',
  },
} as const;
const faults = listOf({
  type: 'object',
  properties: { name: text, problem: text, example: text },
  required: ['name', 'problem'],
});
const tried = listOf({
  type: 'object',
  properties: {
    check: text,
    name: text,
    is_good: { type: 'boolean' },
    stage: { type: 'string', description: 'At which it failed.' },
    detail: text,
  },
  required: ['check', 'name', 'is_good', 'detail'],
});

export const getConfig = defineConsole({
  method: 'GET',
  path: '/api/config',
  role: 'viewer',
  id: 'readStoredConfig',
  tag: 'Settings',
  summary: 'Returns the version of the settings in the database, and which one each process uses.',
  answer: {
    description: '`problem`: the newest set cannot be used, and an earlier one is.',
    body: objectOf({
      version: { type: 'integer', description: '0: nothing was ever stored.' },
      changed_at: orNull('string'),
      changed_by: orNull('string'),
      processes: listOf(
        objectOf({
          id: text,
          host: text,
          version: integer,
          error: { ...orNull('string'), description: 'Why it does not use the newest set.' },
          seen_at: text,
        }),
      ),
      problem: orNull('string'),
    }),
  },
  handler: async (app) => ({ status: 200, body: await readStoredConfig(app) }),
});

export const postConfigCheck = defineConsole({
  method: 'POST',
  path: '/api/config/check',
  role: 'admin',
  maxBodyBytes: MAX_CHANGES_BYTES,
  body: consoleBody(changesFields, 'base_version', 'changes'),
  id: 'checkConfigChanges',
  tag: 'Settings',
  summary: 'Checks changes of settings by the rules of a start, without storing them.',
  answer: {
    description: 'All faults. `changed`: the names whose text differs from what is stored.',
    body: objectOf({ faults, tried, changed: listOf(text) }),
  },
  errors: ['settingChangesInvalid'],
  handler: async (app, { body }) => ({
    status: 200,
    body: await checkStoredConfig(app, readGivenChanges(body.changes)),
  }),
});

export const postConfig = defineConsole({
  method: 'POST',
  path: '/api/config',
  role: 'admin',
  stepUp: true,
  maxBodyBytes: MAX_CHANGES_BYTES,
  body: consoleBody(
    {
      ...changesFields,
      comment: { type: 'string', maxLength: 500, description: 'Why; part of the history.' },
    },
    'base_version',
    'changes',
  ),
  id: 'changeConfig',
  tag: 'Settings',
  summary:
    'Stores changes of settings; every process uses them within five seconds. Secrets and hooks need the role owner.',
  answer: {
    description: 'The version in which the changes are.',
    body: objectOf({ version: integer }),
  },
  errors: ['settingChangesInvalid', 'settingsFaulty', 'settingConflict'],
  async handler(app, request) {
    const { base_version: baseVersion, changes, comment = '' } = request.body;
    const texts = readGivenChanges(changes);
    const deed = deedOf({ id: request.id, caller: request.caller, body: { reason: comment } });
    const version = await storeConfig(app, deed, { texts, baseVersion, comment });
    return { status: 200, body: { version } };
  },
});
