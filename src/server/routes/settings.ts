import type { App } from '../app.js';
import { json, type Reply } from '../http/types.js';

/** GET /settings (service.md; decisions.md 21): what a client may offer, and no more. */
export function settings({ config }: App): Reply {
  const providers = Object.entries(config.providers).map(([name, provider]) => [name, provider.enabled] as const);
  return json({
    external: {
      anonymous_users: config.externalAnonymousUsersEnabled,
      ...Object.fromEntries(providers),
      email: config.externalEmailEnabled,
      phone: config.externalPhoneEnabled,
    },
    disable_signup: config.disableSignup,
    autoconfirm: config.mailerAutoconfirm,
    mailer_autoconfirm: config.mailerAutoconfirm,
    phone_autoconfirm: config.smsAutoconfirm,
    sms_provider: config.smsProvider ?? '',
    saml_enabled: false,
  });
}
