import { endpoints } from '../../server/endpoints/index.js';
import { describeApi } from '../../server/openapi/document.js';

/** The content of docs/openapi.json. The version is left out: it would change the file at every release. */
export function renderOpenApi(): string {
  return `${JSON.stringify(describeApi(endpoints, 'as released'), null, 2)}\n`;
}
