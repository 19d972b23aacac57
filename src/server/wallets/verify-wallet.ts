/** Verifies what a wallet signed, and uses it up. */
import { createHash } from 'node:crypto';
import { useMessage } from '../../db/wallets.js';
import { type ApiError, apiError, oauthApiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { decodeBase58 } from './base58.js';
import { isSignedByContract } from './contract-wallet.js';
import { readMessage, type WalletMessage } from './message.js';
import { findMessageFault, validityMs } from './message-rules.js';
import { readSignature } from './signature-form.js';
import { openNonce } from './wallet-nonce.js';
import { chainNames, readChain, type WalletChain } from './wallet-switches.js';

const KEY_BYTES = 32;

/** What a client sends. */
export interface SignedMessage {
  readonly chain: string | undefined;
  readonly message: string;
  readonly signature: string;
}

export interface VerifiedWallet {
  readonly chain: WalletChain;
  readonly message: WalletMessage;
  /** Id of the identity. */
  readonly subject: string;
}

interface CheckedWallet {
  /** Of the identity; the first one is that of a new identity. */
  readonly subjects: readonly string[];
}

/**
 * @throws ApiError web3Disabled, web3ChainDisabled, web3UnsupportedChain, walletMessageInvalid, walletRefused,
 *   walletNetworkUnavailable
 * @throws CryptoPoolFullError when too many signatures wait
 */
export async function verifyWallet(app: App, client: Client, signed: SignedMessage): Promise<VerifiedWallet> {
  const chain = readChain(app, signed.chain);
  const message = readMessage(chain, signed.message);
  if ('fault' in message) throw invalid(message.fault);
  const rpcUrl = chain === 'ethereum' ? findRpcUrl(app, message) : undefined;
  const signature = readSignature(chain, signed.signature, rpcUrl !== undefined);
  if ('fault' in signature) throw invalid(signature.fault);
  const { subjects } =
    chain === 'solana'
      ? await checkSolana(app, message, signed.message, signature.hex)
      : await checkEthereum(app, client, message, signed.message, signature.hex, rpcUrl);
  assertMessage(app, chain, message);
  const subject = await useOnce(app, chain, message, signed.message, subjects);
  return { chain, message, subject };
}

const invalid = (reason: string): ApiError => apiError('walletMessageInvalid', { reason });
const refused = (reason: string): ApiError => oauthApiError('walletRefused', { reason }, 'invalid_grant');
const notSigned = (): ApiError => refused('Signature does not match address in message');

function findRpcUrl({ config }: Pick<App, 'config'>, { chainId }: WalletMessage): string | undefined {
  const urls = config.externalWeb3EthereumRpcUrls;
  return Object.hasOwn(urls, chainId) ? urls[chainId] : undefined;
}

function assertMessage(app: App, chain: WalletChain, message: WalletMessage): void {
  const fault = findMessageFault(app, chain, message, Date.now());
  if (fault !== null) throw refused(fault);
}

async function checkSolana(
  { crypto }: App,
  { address, domain }: WalletMessage,
  text: string,
  signature: string,
): Promise<CheckedWallet> {
  const key = decodeBase58(address);
  if (key?.length !== KEY_BYTES) throw invalid('siws: address in the second line is not valid');
  const publicKey = key.toString('hex');
  const { isSigned } = await crypto.verifyWallet({ chain: 'solana', message: text, domain, publicKey, signature });
  if (!isSigned) throw notSigned();
  return { subjects: [`web3:solana:${address}`] };
}

/**
 * The owner of a key has it on every chain, but a contract may belong to someone else on another chain: the chain is
 * part of its identity.
 */
async function checkEthereum(
  app: App,
  client: Client,
  message: WalletMessage,
  text: string,
  signature: string,
  rpcUrl: string | undefined,
): Promise<CheckedWallet> {
  const address = message.address.toLowerCase();
  const checked = await app.crypto.verifyWallet({ chain: 'ethereum', message: text, address, signature });
  if (checked.isSigned) {
    // supabase/auth keeps addresses as they are written.
    const spellings = [address, message.address, checked.checksumAddress, `0x${address.slice(2).toUpperCase()}`];
    return { subjects: [...new Set(spellings)].map((spelling) => `web3:ethereum:${spelling}`) };
  }
  if (rpcUrl === undefined) throw notSigned();
  // Before the call to another server, which costs more than all other checks.
  assertMessage(app, 'ethereum', message);
  const question = { url: rpcUrl, address, hash: checked.hash, signature: signature.toLowerCase() };
  if (!(await isSignedByContract(app, client, question))) throw notSigned();
  return { subjects: [`web3:ethereum:${message.chainId}:${address}`] };
}

/** @returns the subject of an identity that exists, preferably as the message has it, else the one of a new identity */
async function useOnce(
  app: App,
  chain: WalletChain,
  message: WalletMessage,
  text: string,
  subjects: readonly string[],
): Promise<string> {
  const nonce = app.config.externalWeb3NonceRequired ? openNonce(app, message.nonce) : undefined;
  const signed = `Signed ${chainNames[chain]} message`;
  if (nonce === null) throw refused(`${signed} has a nonce that was not given out, or has expired`);
  const used = { id: idOf(chain, text), expiresAt: Math.ceil((message.issuedAtMs + validityMs(app, chain)) / 1000) };
  const { isNew, known } = await useMessage(app.db, nonce === undefined ? [used] : [used, nonce], subjects);
  if (!isNew) throw refused(`${signed} was used before`);
  const written = `web3:${chain}:${message.address}`;
  return (
    known.find((subject) => subject === written) ?? known.find((one) => one === subjects[0]) ?? known[0] ?? subjects[0]!
  );
}

/** Any other text has another one. A signature would not do: some wallets give several for one text. */
function idOf(chain: WalletChain, text: string): string {
  const hash = createHash('sha256').update(`wallet\0${chain}\0`).update(text).digest('hex');
  // RFC 9562 5.8: version 8, as the challenges of passkeys beside it.
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-9$4-$5');
}
