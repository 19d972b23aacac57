/** Sign-in with a wallet. */
import type { ErrorEntries } from './entry.js';

export const walletEntries = {
  web3Disabled: [422, 'web3_provider_disabled', 'Web3 provider is disabled'],
  web3ChainDisabled: [422, 'web3_provider_disabled', '<chain> Web3 provider is disabled'],
  web3UnsupportedChain: [400, 'web3_unsupported_chain', 'Unsupported chain'],
  walletMessageInvalid: [400, 'validation_failed', '<reason>'],
  // The body also says error and error_description (RFC 6749 5.2).
  walletRefused: [400, 'invalid_credentials', '<reason>'],
  walletNetworkUnavailable: [
    503,
    'service_unavailable',
    'The contract of the wallet cannot be asked right now, please retry.',
  ],
} as const satisfies ErrorEntries;
