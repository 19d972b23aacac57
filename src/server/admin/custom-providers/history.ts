/** What the audit log says about a change: each setting before and after, and of the secret only that it changed. */
import type { CustomProviderSettings, CustomProviderType } from '../../../db/custom-providers.js';

type Traits = Readonly<Record<string, unknown>>;

export const describeCreated = (
  identifier: string,
  provider_type: CustomProviderType,
  settings: CustomProviderSettings,
): Traits => ({ identifier, provider_type, settings });

export function describeChanges(
  identifier: string,
  before: CustomProviderSettings,
  after: CustomProviderSettings,
  isSecretChanged: boolean,
): Traits {
  const names = Object.keys(after) as (keyof CustomProviderSettings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const changes = changed.map((name) => [name, { from: before[name], to: after[name] }]);
  return {
    identifier,
    changes: Object.fromEntries(changes),
    ...(isSecretChanged && { client_secret_changed: true }),
  };
}
