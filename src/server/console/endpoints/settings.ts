import { apiError } from '../../errors.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, textField } from '../define-console.js';
import { formIds } from '../setting-forms/index.js';
import { compareWithPasted, readSettings } from '../settings.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const fault = objectOf({ variable: text, problem: text });
/** All settings with comments are about 150 kB. */
const MAX_ENV_BYTES = 262_144;

export const getConsoleSettings = defineConsole({
  method: 'GET',
  path: '/api/settings',
  role: 'viewer',
  id: 'readSettings',
  tag: 'Settings',
  query: { form: { type: 'string', enum: formIds, description: 'Only those on this form of the console.' } },
  summary: 'Returns the settings in use with their meaning, and where each comes from.',
  answer: {
    description:
      'All, in the order of docs/settings.md. Secrets have a fingerprint in place of their value. `faults`: why a start would fail now; then there are no sources.',
    body: objectOf({
      generation: { type: 'integer', description: 'Counts the configurations of the process, from 1.' },
      version: text,
      stored_version: {
        type: 'integer',
        description: 'The set in the database that they show: `base_version` of changes.',
      },
      settings: listOf({
        type: 'object',
        properties: {
          name: text,
          section: text,
          doc: text,
          default: { type: ['string', 'null'], description: 'As text; null: none.' },
          example: text,
          kind: { type: 'string', description: 'bool, int, duration, text, url, list, choice and so on: its syntax.' },
          choices: { type: ['array', 'null'], items: text, description: 'Of the kind choice.' },
          is_secret: flag,
          is_of_owners: { type: 'boolean', description: 'Administrators may not change it.' },
          is_hidden: { type: 'boolean', description: 'Its text is not shown: it is a secret, or may hold one.' },
          text: { type: ['string', 'null'], description: 'As its source has it; null: hidden, or the default.' },
          needs_restart: { type: 'boolean', description: 'A reload does not change it.' },
          is_set: { type: 'boolean', description: 'It differs from its default.' },
          value: { description: 'Absent when it is or may contain a secret.' },
          fingerprint: { type: 'string', description: 'HMAC of a secret that is set.' },
          source: {
            type: ['object', 'null'],
            properties: {
              origin: { type: 'string', description: 'environment, file, database, fallback or default.' },
              name: { type: 'string', description: 'The variable that was read; with _FILE, the file it names.' },
              label: { type: 'string', description: 'environment, database, default, or the path of the file.' },
              line: { type: ['integer', 'null'], description: 'Of the file, from 1.' },
            },
          },
          storable: { type: 'boolean', description: 'The database may have it.' },
          stored: { type: 'boolean', description: 'The database has it; another source may come first.' },
          pending: {
            type: ['string', 'null'],
            description: 'The sources have another value by now, which a reload or a restart puts in place.',
          },
          form: {
            type: ['object', 'null'],
            description: 'Where it stands in the console; null: the database never has it.',
            properties: { form: text, tab: text, group: text, label: text, order: { type: 'integer' } },
          },
        },
        required: [
          'name',
          'section',
          'doc',
          'default',
          'example',
          'is_secret',
          'needs_restart',
          'is_set',
          'storable',
          'stored',
        ],
      }),
      groups: listOf(objectOf({ tab: text, title: text, about: orNull('string'), is_folded: flag })),
      faults: listOf(fault),
      notices: listOf(objectOf({ variable: text, message: text })),
    }),
  },
  errors: ['badFilter'],
  async handler(app, { query }) {
    const given = query.get('form');
    const form = formIds.find((id) => id === given);
    if (given !== undefined && form === undefined) throw apiError('badFilter', { reason: 'no such form' });
    return { status: 200, body: await readSettings(app, form) };
  },
});

export const postSettingsCompare = defineConsole({
  method: 'POST',
  path: '/api/settings/compare',
  role: 'admin',
  maxBodyBytes: MAX_ENV_BYTES,
  body: consoleBody({ env: textField('Text of a .env file. Files that it names are not read.') }, 'env'),
  id: 'compareSettings',
  tag: 'Settings',
  summary: 'Compares the settings in use with the text of a .env file.',
  answer: {
    description:
      'The differences. `not_compared`: secrets that both have, or that are in files. `faults`: why a start with this file alone would fail.',
    body: objectOf({
      differences: listOf({
        type: 'object',
        properties: {
          variable: text,
          kind: { type: 'string', description: 'added, changed or removed by the file.' },
          needs_restart: flag,
          is_secret: flag,
          running: { description: 'Absent for a secret, as pasted.' },
          pasted: {},
        },
        required: ['variable', 'kind', 'needs_restart', 'is_secret'],
      }),
      not_compared: listOf(text),
      faults: listOf(fault),
      notices: listOf(text),
    }),
  },
  handler(app, { body }) {
    const { differences, notCompared, ...rest } = compareWithPasted(app, body.env);
    return {
      status: 200,
      body: {
        ...rest,
        not_compared: notCompared,
        differences: differences.map(({ secret, configured, ...one }) => ({
          ...{ ...one, is_secret: secret },
          ...(configured !== undefined && { pasted: configured }),
        })),
      },
    };
  },
});
