import type { WalletChain } from './wallet-switches.js';

/** 64 bytes in either alphabet, with padding or without. */
const SOLANA = /^(?:[A-Za-z0-9+/]{86}|[A-Za-z0-9_-]{86})(?:==)?$/;
const ETHEREUM = /^(?:0x)?([0-9a-fA-F]{130})$/;
/** Of contracts: any number of bytes. */
const CONTRACT = /^(?:0x)?((?:[0-9a-fA-F]{2}){1,8192})$/;

/**
 * @param mayBeContract signatures of contracts have any length
 * @returns the bytes in hex, or why the text is no signature
 */
export function readSignature(
  chain: WalletChain,
  text: string,
  mayBeContract: boolean,
): { readonly hex: string } | { readonly fault: string } {
  if (chain === 'solana') {
    return SOLANA.test(text)
      ? { hex: Buffer.from(text, 'base64url').toString('hex') }
      : { fault: 'signature must be 64 bytes encoded as base64 with or without padding' };
  }
  const hex = (mayBeContract ? CONTRACT : ETHEREUM).exec(text)?.[1];
  return hex === undefined
    ? { fault: 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string' }
    : { hex };
}
