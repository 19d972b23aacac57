/** What an operator needs to set up an identity provider: what to do there, and the settings here. */
import { providerNames } from '../config/settings.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { usualCallback } from './known-providers.js';
import { guideOfProvider } from './provider-guides/index.js';
import { readProviderSettings } from './settings.js';

/** What can follow `custom:`; a variable spells it in capitals, with an underscore for a dash. */
const CUSTOM_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * @param name of a path; one of the operator's own need not be there yet
 * @throws ApiError providerUnknown
 */
export async function readProviderSetup(app: App, name: string) {
  const { registerAt, steps, notes = [] } = guideOfProvider(name);
  return {
    callback_url: usualCallback(app),
    register_at: registerAt,
    steps,
    notes,
    ...(await readProviderSettings(app, settingsNameOf(name))),
  };
}

function settingsNameOf(name: string) {
  const custom = name.startsWith('custom:') ? name.slice('custom:'.length) : null;
  if (custom !== null && CUSTOM_NAME.test(custom)) return { custom };
  const builtIn = providerNames.find((one) => one === name);
  if (builtIn === undefined) throw apiError('providerUnknown');
  return { builtIn };
}
