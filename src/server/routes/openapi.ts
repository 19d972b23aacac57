import type { App } from '../app.js';
import { json, type Reply } from '../http/types.js';

/** GET /openapi.json: this interface as OpenAPI 3.1. */
export function openapi(app: App): Reply {
  return json(app.describeApi(), 200, { 'Cache-Control': 'public, max-age=600' });
}
