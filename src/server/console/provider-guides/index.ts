/** The guides of all providers. A new provider needs one to compile. */
import type { ProviderName } from '../../config/settings.js';
import type { ProviderGuide } from './guide.js';
import { platformGuides } from './platforms.js';
import { serviceGuides } from './services.js';

export type { ProviderGuide } from './guide.js';

export const providerGuides: Readonly<Record<ProviderName, ProviderGuide>> = { ...platformGuides, ...serviceGuides };

/** Of any OpenID Connect issuer. */
export const customGuide: Omit<ProviderGuide, 'title'> = {
  registerAt: null,
  steps: [
    'At your identity provider, register an application: a confidential web client of OpenID Connect with the authorization code flow.',
    'Enter the redirect address there, letter by letter.',
    'Copy the client ID and the client secret.',
    'Copy the issuer as its discovery document has it, with or without a slash at the end. The document is at the issuer and /.well-known/openid-configuration.',
  ],
};

/** @param provider as in a sign-in, such as `custom:acme` */
export function guideOfProvider(provider: string): ProviderGuide {
  const guides: Readonly<Record<string, ProviderGuide>> = providerGuides;
  return guides[provider] ?? { ...customGuide, title: provider.replace(/^custom:/, '') };
}
