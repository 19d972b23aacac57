import { viewRunningConfig } from '../admin/running-config.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';

const setting = {
  type: 'object',
  properties: {
    is_set: { type: 'boolean', description: 'It differs from its default.' },
    value: { description: 'Absent when it is or may contain a secret.' },
    fingerprint: { type: 'string', description: 'HMAC of a secret that is set.' },
  },
  required: ['is_set'],
};

const running = {
  type: 'object',
  properties: {
    generation: { type: 'integer', description: 'Counts the configurations of the process, from 1.' },
    version: { type: 'string' },
    fingerprint_key: { type: 'string', description: 'Identifies the key of the fingerprints.' },
    settings: { type: 'object', description: 'By name, e.g. AUTH_SITE_URL.', additionalProperties: setting },
  },
  required: ['generation', 'version', 'fingerprint_key', 'settings'],
};

export const getAdminConfig = defineEndpoint({
  method: 'GET',
  path: '/admin/config',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminGetConfig',
  tag: 'Administration',
  summary: 'Returns the settings in use, with fingerprints in place of secrets, for latchkey config diff.',
  answers: { 200: { description: 'The settings in use.', body: running } },
  handler: async (app) => json(viewRunningConfig(app)),
});
