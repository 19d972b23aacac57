import type { walletEntries } from '../../errors/wallet-errors.js';
import type { Explanations } from './check-names.js';

export const walletExplanations = {
  web3Disabled: [
    'method',
    'Sign-in with a wallet is switched off.',
    'AUTH_EXTERNAL_WEB3_ETHEREUM_ENABLED',
    'AUTH_EXTERNAL_WEB3_SOLANA_ENABLED',
  ],
  web3ChainDisabled: [
    'method',
    'Wallets of this chain are switched off, those of the other chain are on.',
    'AUTH_EXTERNAL_WEB3_ETHEREUM_ENABLED',
    'AUTH_EXTERNAL_WEB3_SOLANA_ENABLED',
  ],
  web3UnsupportedChain: ['input', 'chain is ethereum or solana.'],
  walletMessageInvalid: ['input', 'The message or the signature has another form than wallets give it.'],
  walletRefused: [
    'wallet',
    'The answer says which rule failed. Messages are valid for one sign-in, on the sites of this server, and not for long.',
    'AUTH_SITE_URL',
    'AUTH_URI_ALLOW_LIST',
    'AUTH_EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION',
    'AUTH_EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION',
    'AUTH_EXTERNAL_WEB3_NONCE_REQUIRED',
  ],
  walletNetworkUnavailable: [
    'wallet',
    'The wallet is a contract, and the server that answers for its network gave no usable answer. The log says why.',
    'AUTH_EXTERNAL_WEB3_ETHEREUM_RPC_URLS',
    'AUTH_OUTBOUND_PRIVATE_HOSTS',
  ],
} as const satisfies Explanations<typeof walletEntries>;
