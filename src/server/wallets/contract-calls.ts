/** What is asked of a contract wallet, and how its answer is read (EIP-1271, ERC-6492). Hex without 0x. */

/** isValidSignature(bytes32,bytes), and what it answers for a signature that is valid. */
const IS_VALID_SIGNATURE = '1626ba7e';
const VALID = `0x${IS_VALID_SIGNATURE}${'0'.repeat(56)}`;
/** Ends the signature of a contract that may not exist yet (ERC-6492). */
const NOT_DEPLOYED = '6492'.repeat(16);
/** Runs several calls one after the other, at one address on all chains: https://www.multicall3.com */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
/** aggregate3((address,bool,bytes)[]) */
const AGGREGATE = '82ad56cb';
const WORD = 64;

export interface ContractCall {
  /** Lower case, with 0x. */
  readonly to: string;
  /** With 0x. */
  readonly data: string;
  readonly isValid: (result: string) => boolean;
}

/**
 * @param address lower case, with 0x
 * @param hash 32 bytes
 * @returns null for a signature that cannot be read
 */
export function planContractCall(address: string, hash: string, signature: string): ContractCall | null {
  if (!signature.endsWith(NOT_DEPLOYED)) {
    return { to: address, data: `0x${askWallet(hash, signature)}`, isValid: (result) => result === VALID };
  }
  const parts = readWrapped(signature.slice(0, -WORD));
  if (parts === null) return null;
  const calls = [
    // It may have made the contract already, and then fails.
    { target: parts.factory, data: parts.factoryData },
    { target: address.slice(2), data: askWallet(hash, parts.signature) },
  ];
  return { to: MULTICALL, data: `0x${AGGREGATE}${encodeCalls(calls)}`, isValid: isSecondValid };
}

const word = (value: number): string => value.toString(16).padStart(WORD, '0');
const bytes = (hex: string): string => word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / WORD) * WORD, '0');
const askWallet = (hash: string, signature: string): string =>
  `${IS_VALID_SIGNATURE}${hash}${word(64)}${bytes(signature)}`;

/** An array of (address, bool, bytes); each call may fail. */
function encodeCalls(calls: readonly { readonly target: string; readonly data: string }[]): string {
  const tuples = calls.map(({ target, data }) => target.padStart(WORD, '0') + word(1) + word(96) + bytes(data));
  const offsets: string[] = [];
  let at = calls.length * 32;
  for (const tuple of tuples) {
    offsets.push(word(at));
    at += tuple.length / 2;
  }
  return word(32) + word(calls.length) + offsets.join('') + tuples.join('');
}

/** (address factory, bytes factoryData, bytes signature) */
function readWrapped(hex: string): { factory: string; factoryData: string; signature: string } | null {
  const factory = hex.slice(24, WORD).toLowerCase();
  const factoryData = readBytes(hex, readNumber(hex, WORD));
  const signature = readBytes(hex, readNumber(hex, 2 * WORD));
  return hex.length >= 3 * WORD && factoryData !== null && signature !== null
    ? { factory, factoryData, signature }
    : null;
}

/** Of (bool, bytes)[] with two members: the second one is true, and has the answer. */
function isSecondValid(result: string): boolean {
  const hex = result.slice(2);
  if (readNumber(hex, 0) !== 32 || readNumber(hex, WORD) !== 2) return false;
  const start = 2 * WORD + readNumber(hex, 3 * WORD) * 2;
  return readNumber(hex, start) === 1 && `0x${readBytes(hex.slice(start), readNumber(hex, start + WORD))}` === VALID;
}

/** @param at place of the first digit. @returns NaN where no small number is */
function readNumber(hex: string, at: number): number {
  const text = hex.slice(at, at + WORD);
  return /^0{56}[0-9a-f]{8}$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN;
}

/** @param offset in bytes. @returns null where it would go beyond the end */
function readBytes(hex: string, offset: number): string | null {
  const start = offset * 2 + WORD;
  const length = readNumber(hex, offset * 2) * 2;
  return start + length <= hex.length ? hex.slice(start, start + length) : null;
}
