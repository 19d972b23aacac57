import type { App } from '../app.js';
import { json, type Reply } from '../http/types.js';

/** Providers of supabase/auth that are not offered here: clients with fixed types refuse an answer without their keys. */
const NOT_OFFERED = { fly: false, kakao: false, linkedin_oidc: false, slack_oidc: false, zoom: false };

/** GET /settings: what a client may offer, and no more. */
export function settings({ config, providers }: App): Reply {
  return json({
    external: {
      anonymous_users: config.externalAnonymousUsersEnabled,
      ...NOT_OFFERED,
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
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
    mfa_enabled: false,
  });
}
