import type { Section } from './setting.js';

export const consoleSettings = {
  consolePort: {
    variable: 'CONSOLE_PORT',
    restart: true,
    kind: 'int',
    min: 1,
    max: 65535,
    default: null,
    doc: 'Port of the console for operators; unset: there is no console.',
    example: '8082',
  },
  consoleHost: {
    variable: 'CONSOLE_HOST',
    restart: true,
    kind: 'text',
    default: '127.0.0.1',
    doc: 'Address the console listens on; empty means all interfaces.',
    example: '10.0.0.5',
  },
  consoleUrl: {
    variable: 'CONSOLE_URL',
    restart: true,
    kind: 'url',
    base: true,
    default: '',
    doc: 'Origin of the console as browsers see it; empty: http://localhost with AUTH_CONSOLE_PORT. Requests for another host or from another origin are refused, and passkeys of operators belong to its host.',
    example: 'https://console.example.com',
  },
  consoleRecordsEnabled: {
    variable: 'CONSOLE_RECORDS_ENABLED',
    restart: true,
    kind: 'bool',
    default: null,
    doc: 'Records refused requests for a week, so that the console can explain them, and figures for its overview; unset: where AUTH_CONSOLE_PORT is set. Set it to true on servers without a console whose database another one shows.',
    example: 'true',
  },
} as const satisfies Section;
