import { describeApi } from '../../server/openapi/document.js';
import { routes } from '../../server/routes/index.js';

/** The content of docs/openapi.json. The version is left out: it would change the file at every release. */
export function renderOpenApi(): string {
  return `${JSON.stringify(describeApi(routes, 'as released'), null, 2)}\n`;
}
