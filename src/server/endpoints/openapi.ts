import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';

export const getOpenapi = defineEndpoint({
  method: 'GET',
  path: '/openapi.json',
  caller: 'none',
  id: 'getOpenApi',
  tag: 'Server',
  summary: 'Describes this API in OpenAPI 3.1.',
  answers: { 200: { description: 'OpenAPI 3.1.', body: { type: 'object' } } },
  handler: (app) => json(app.describeApi(), 200, { 'Cache-Control': 'public, max-age=600' }),
});
