import type { Section } from './setting.js';

const validity = (chain: string) =>
  `How long a message of ${chain} is accepted after its Issued At; as much may it lie in the future.`;

export const web3 = {
  externalWeb3SolanaEnabled: {
    variable: 'EXTERNAL_WEB3_SOLANA_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Sign-in with a wallet of Solana.',
    example: 'true',
  },
  externalWeb3SolanaMaximumValidityDurationSeconds: {
    variable: 'EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION',
    kind: 'duration',
    positive: true,
    default: '10m',
    doc: validity('Solana'),
    example: '5m',
  },
  externalWeb3EthereumEnabled: {
    variable: 'EXTERNAL_WEB3_ETHEREUM_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Sign-in with a wallet of Ethereum and of chains like it.',
    example: 'true',
  },
  externalWeb3EthereumMaximumValidityDurationSeconds: {
    variable: 'EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION',
    kind: 'duration',
    positive: true,
    default: '10m',
    doc: validity('Ethereum'),
    example: '5m',
  },
  externalWeb3EthereumRpcUrls: {
    variable: 'EXTERNAL_WEB3_ETHEREUM_RPC_URLS',
    kind: 'map',
    default: '',
    secret: true,
    doc: 'For wallets that are contracts (EIP-1271, ERC-6492): the JSON-RPC server of each chain that may answer for them, by chain id. Empty: such wallets cannot sign in.',
    example: '1:https://eth.example.com/v2/key,8453:https://base.example.com/v2/key',
  },
  externalWeb3NonceRequired: {
    variable: 'EXTERNAL_WEB3_NONCE_REQUIRED',
    kind: 'bool',
    default: 'false',
    doc: 'When true, the Nonce of a message must be one that POST /web3/nonce gave out.',
    example: 'true',
  },
} as const satisfies Section;
