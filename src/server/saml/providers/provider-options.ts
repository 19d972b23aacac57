import type { SsoProviderOptions } from '../../../db/sso-providers.js';
import type { GivenProvider } from './provider-fields.js';

/** What is given replaces what was; an empty context removes it. */
export function optionsOf(before: SsoProviderOptions, given: GivenProvider): SsoProviderOptions {
  const { idp_initiated, enforced, force_authn, authn_context } = given;
  const merged = {
    ...before,
    ...(idp_initiated !== undefined && { idp_initiated }),
    ...(enforced !== undefined && { enforced }),
    ...(force_authn !== undefined && { force_authn }),
    ...(authn_context !== undefined && { authn_context }),
  };
  const { authn_context: context, ...rest } = merged;
  return context === undefined || context === '' ? rest : merged;
}
