import type { App } from '../app.js';
import { json, type Reply } from '../http/types.js';

/** GET /settings (service.md; decisions.md 21): what a client may offer, and no more. */
export function settings({ config, providers }: App): Reply {
  return json({
    external: {
      anonymous_users: config.externalAnonymousUsersEnabled,
      ...providers.switches,
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
