/** Which wallets may sign in. Loaded always; everything else in this folder only when it is needed. */
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

export type WalletChain = 'solana' | 'ethereum';

/** As texts name them. */
export const chainNames: Readonly<Record<WalletChain, string>> = { solana: 'Solana', ethereum: 'Ethereum' };

/** @throws ApiError web3Disabled */
export function assertWalletsOn({ config }: Pick<App, 'config'>): void {
  if (!config.externalWeb3SolanaEnabled && !config.externalWeb3EthereumEnabled) throw apiError('web3Disabled');
}

/** @throws ApiError web3Disabled, web3ChainDisabled, web3UnsupportedChain */
export function readChain(app: Pick<App, 'config'>, chain: string | undefined): WalletChain {
  assertWalletsOn(app);
  if (chain !== 'solana' && chain !== 'ethereum') throw apiError('web3UnsupportedChain');
  const { externalWeb3SolanaEnabled, externalWeb3EthereumEnabled } = app.config;
  if (chain === 'solana' ? externalWeb3SolanaEnabled : externalWeb3EthereumEnabled) return chain;
  throw apiError('web3ChainDisabled', { chain: chainNames[chain] });
}
