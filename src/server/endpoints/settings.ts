import { factorKinds } from '../factors/kinds.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

export const getSettings = defineEndpoint({
  method: 'GET',
  path: '/settings',
  caller: 'none',
  id: 'getSettings',
  tag: 'Server',
  summary: 'Returns the public settings.',
  answers: ok('Settings', 'The public settings.'),
  handler: ({ config, providers }) =>
    json({
      external: {
        anonymous_users: config.externalAnonymousUsersEnabled,
        ...providers.switches,
        web3_ethereum: config.externalWeb3EthereumEnabled,
        web3_solana: config.externalWeb3SolanaEnabled,
        email: config.externalEmailEnabled,
        phone: config.externalPhoneEnabled,
      },
      disable_signup: config.disableSignup,
      autoconfirm: config.mailerAutoconfirm,
      mailer_autoconfirm: config.mailerAutoconfirm,
      phone_autoconfirm: config.smsAutoconfirm,
      sms_provider: config.smsProvider ?? '',
      saml_enabled: config.samlEnabled,
      saml_private_key_next_configured: config.samlEnabled && config.samlPrivateKeyNext !== '',
      passkeys_enabled: config.passkeyEnabled,
      mfa_required: config.mfaRequired.length > 0,
      mfa_enabled: Object.values(factorKinds).some(({ mayVerify }) => mayVerify(config)),
    }),
});
