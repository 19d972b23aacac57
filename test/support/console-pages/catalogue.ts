/**
 * Every page of the console in each of its states. The tests of the console and `npm run screenshots` go through this list.
 * A new page has its general states by itself.
 */
import type { ConsoleState } from './console-state.js';
import { consoleCompanyStates } from './states-companies.js';
import { generalStates } from './states-general.js';
import { organizationStates } from './states-organizations.js';
import { ownStates } from './states-own.js';
import { peopleStates } from './states-people.js';
import { previewStates } from './states-previews.js';
import { providerStates } from './states-providers.js';
import { settingStates } from './states-settings.js';
import { traceStates } from './states-traces.js';

export const consoleStates: readonly ConsoleState[] = [
  ...generalStates,
  ...ownStates,
  ...peopleStates,
  ...settingStates,
  ...providerStates,
  ...previewStates,
  ...consoleCompanyStates,
  ...traceStates,
  ...organizationStates,
];
