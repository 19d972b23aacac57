import { apiError } from '../../errors.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { readCursorParts, readLimit, writeCursor } from '../list-query.js';
import { deedOf } from '../operator-audit.js';
import {
  checkStoredConfig,
  listConfigHistory,
  readGivenChanges,
  readStoredConfig,
  restoreConfig,
  storeConfig,
} from '../stored-config.js';
import { listQuery } from './users.js';

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
const commentField = {
  comment: { type: 'string', maxLength: 500, description: 'Why; part of the history.' },
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
  errors: ['settingChangesInvalid', 'settingChangesTooMany'],
  async handler(app, request) {
    const texts = readGivenChanges(request.body.changes);
    const deed = deedOf({ id: request.id, caller: request.caller, body: undefined });
    return { status: 200, body: await checkStoredConfig(app, deed, texts) };
  },
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
      ...commentField,
      force: { type: 'boolean', description: 'Stores it although a try has failed; never with faults.' },
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
  errors: ['settingChangesInvalid', 'settingChangesTooMany', 'settingsFaulty', 'settingConflict', 'settingsNotStored'],
  async handler(app, request) {
    const { base_version: baseVersion, changes, comment = '', force: isForced = false } = request.body;
    const texts = readGivenChanges(changes);
    const deed = deedOf({ id: request.id, caller: request.caller, body: { reason: comment } });
    const version = await storeConfig(app, deed, { texts, baseVersion, comment, isForced });
    return { status: 200, body: { version } };
  },
});

export const getConfigHistory = defineConsole({
  method: 'GET',
  path: '/api/config/history',
  role: 'viewer',
  query: listQuery,
  id: 'readConfigHistory',
  tag: 'Settings',
  summary: 'Returns who changed which settings in the database, the newest first.',
  answer: {
    description: 'A page. Of secrets fingerprints; `restored`: the version whose state the set restored.',
    body: objectOf({
      sets: listOf(
        objectOf({
          version: integer,
          at: text,
          by: text,
          comment: text,
          restored: orNull('integer'),
          changes: listOf(
            objectOf({ name: text, is_secret: { type: 'boolean' }, before: orNull('string'), after: orNull('string') }),
          ),
        }),
      ),
      next_cursor: orNull('string'),
    }),
  },
  errors: ['badPagination'],
  async handler(app, { query }) {
    const limit = readLimit(query);
    const sets = await listConfigHistory(app, readVersionCursor(query), limit);
    const last = sets.length === limit ? sets.at(-1) : undefined;
    return {
      status: 200,
      body: { sets, next_cursor: last === undefined ? null : writeCursor(String(last.version), 'settings') },
    };
  },
});

/** @returns null on the first page. @throws ApiError badPagination */
function readVersionCursor(query: Parameters<typeof readCursorParts>[0]): number | null {
  const parts = readCursorParts(query);
  if (parts === null) return null;
  if (!/^[1-9]\d{0,8}$/.test(parts[0]) || parts[1] !== 'settings') {
    throw apiError('badPagination', { reason: 'cursor is not one of this list' });
  }
  return Number(parts[0]);
}

export const postConfigRollback = defineConsole({
  method: 'POST',
  path: '/api/config/rollback',
  role: 'admin',
  stepUp: true,
  body: consoleBody(
    {
      version: { type: 'integer', minimum: 0, description: 'Whose state is restored; 0: nothing was stored.' },
      base_version: changesFields.base_version,
      ...commentField,
    },
    'version',
    'base_version',
  ),
  id: 'restoreConfig',
  tag: 'Settings',
  summary: 'Stores a set that restores the state of an earlier version. Secrets and hooks need the role owner.',
  answer: { description: 'The version in which that state is again.', body: objectOf({ version: integer }) },
  errors: ['settingVersionNotFound', 'settingsFaulty', 'settingConflict', 'settingsNotStored'],
  async handler(app, request) {
    const { version, base_version: baseVersion, comment = '' } = request.body;
    const deed = deedOf({ id: request.id, caller: request.caller, body: { reason: comment } });
    const stored = await restoreConfig(app, deed, { version, baseVersion, comment });
    return { status: 200, body: { version: stored } };
  },
});
