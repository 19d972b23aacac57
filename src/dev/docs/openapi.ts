import { consoleEndpoints } from '../../server/console/endpoints/index.js';
import { endpoints } from '../../server/endpoints/index.js';
import { type ApiDescription, describeApi } from '../../server/openapi/document.js';

/** The content of docs/openapi.json. The version is left out: it would change the file at every release. */
export function renderOpenApi(): string {
  return `${JSON.stringify(describeApi(endpoints, 'as released'), null, 2)}\n`;
}

const consoleApi: ApiDescription = {
  title: 'Latchkey console',
  description:
    'What the pages of the console ask for, on AUTH_CONSOLE_PORT only. It changes with them: programs use the API of docs/openapi.json. Requests that change something carry the header X-Latchkey-Console: 1 and come from the origin of the console; X-Latchkey-Background marks those that a page sends by itself.',
  securitySchemes: {
    operator: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-latchkey-console',
      description: 'The session of an operator.',
    },
  },
};

/** The content of docs/console-openapi.json. */
export function renderConsoleApi(): string {
  return `${JSON.stringify(describeApi(consoleEndpoints, 'as released', consoleApi), null, 2)}\n`;
}
