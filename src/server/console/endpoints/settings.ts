import { viewRunningConfig } from '../../admin/running-config.js';
import { allSettings, mainNameOf } from '../../config/settings.js';
import { defineConsole, listOf, objectOf } from '../define-console.js';

const text = { type: 'string' } as const;

export const getConsoleSettings = defineConsole({
  method: 'GET',
  path: '/api/settings',
  role: 'viewer',
  id: 'readSettings',
  tag: 'Settings',
  summary: 'Returns the settings in use with their meaning. They are changed where they are set, not here.',
  answer: {
    description: 'All, in the order of docs/settings.md. Secrets have a fingerprint in place of their value.',
    body: objectOf({
      generation: { type: 'integer', description: 'Counts the configurations of the process, from 1.' },
      version: text,
      settings: listOf({
        type: 'object',
        properties: {
          name: text,
          section: text,
          doc: text,
          default: { type: ['string', 'null'], description: 'As text; null: none.' },
          example: text,
          is_secret: { type: 'boolean' },
          needs_restart: { type: 'boolean', description: 'A reload does not change it.' },
          is_set: { type: 'boolean', description: 'It differs from its default.' },
          value: { description: 'Absent when it is or may contain a secret.' },
          fingerprint: { type: 'string', description: 'HMAC of a secret that is set.' },
        },
        required: ['name', 'section', 'doc', 'default', 'example', 'is_secret', 'needs_restart', 'is_set'],
      }),
    }),
  },
  handler(app) {
    const { generation, version, settings: inUse } = viewRunningConfig(app);
    const settings = allSettings.map(({ section, setting }) => ({
      name: mainNameOf(setting),
      section,
      doc: setting.doc,
      default: setting.default ?? null,
      example: setting.example,
      is_secret: setting.secret === true,
      needs_restart: setting.restart === true,
      ...(inUse[mainNameOf(setting)] ?? { is_set: false }),
    }));
    return { status: 200, body: { generation, version, settings } };
  },
});
