/** Wallets of tests: keys, the messages that they sign, and signatures as real wallets make them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

export const walletSettings = {
  EXTERNAL_WEB3_ETHEREUM_ENABLED: 'true',
  EXTERNAL_WEB3_SOLANA_ENABLED: 'true',
};

/** The parts of a message; an absent one takes what makes a valid message for http://localhost:3000. */
export interface MessageParts {
  readonly domain?: string;
  readonly address?: string;
  readonly statement?: string;
  readonly uri?: string;
  readonly version?: string;
  readonly chainId?: string | null;
  readonly issuedAt?: string;
  /** Further lines, such as `Nonce: 1`. */
  readonly lines?: readonly string[];
}

export interface SignedBody {
  readonly chain: string;
  readonly message: string;
  readonly signature: string;
}

export interface TestWallet {
  readonly chain: 'ethereum' | 'solana';
  readonly address: string;
  write(parts?: MessageParts): string;
  sign(message: string): string;
  /** The body of a request. */
  body(parts?: MessageParts): SignedBody;
}

/** A time from now, as messages have it. */
export const timeIn = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

let nonces = 0;

function makeWallet(
  chain: TestWallet['chain'],
  address: string,
  chainId: string,
  signText: (message: string) => string,
): TestWallet {
  const name = chain === 'solana' ? 'Solana' : 'Ethereum';
  const write: TestWallet['write'] = (parts = {}) => {
    const { statement } = parts;
    const id = parts.chainId === undefined ? chainId : parts.chainId;
    return [
      `${parts.domain ?? 'localhost:3000'} wants you to sign in with your ${name} account:`,
      parts.address ?? address,
      '',
      ...(statement === undefined ? [] : [statement, '']),
      `URI: ${parts.uri ?? 'http://localhost:3000/'}`,
      `Version: ${parts.version ?? '1'}`,
      ...(id === null ? [] : [`Chain ID: ${id}`]),
      // Two messages of one moment would be the same one.
      ...(parts.lines?.some((line) => line.startsWith('Nonce:')) ? [] : [`Nonce: test${nonces++}`]),
      `Issued At: ${parts.issuedAt ?? timeIn(0)}`,
      ...(parts.lines ?? []),
    ].join('\n');
  };
  const body: TestWallet['body'] = (parts) => {
    const message = write(parts);
    return { chain, message, signature: signText(message) };
  };
  return { chain, address, write, sign: signText, body };
}

export interface EthereumWallet extends TestWallet {
  readonly checksumAddress: string;
}

/** What personal_sign signs (EIP-191). */
export const hashMessage = (message: string): Uint8Array => {
  const text = Buffer.from(message);
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]));
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function makeEthereumWallet(secret = secp256k1.utils.randomSecretKey()): EthereumWallet {
  const address = `0x${hex(keccak_256(secp256k1.getPublicKey(secret, false).subarray(1)).subarray(-20))}`;
  const marks = hex(keccak_256(Buffer.from(address.slice(2))));
  const checksumAddress = `0x${[...address.slice(2)].map((digit, at) => (marks[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`;
  const signText = (message: string): string => {
    const bytes = secp256k1.sign(hashMessage(message), secret, { prehash: false, format: 'recovered' });
    return `0x${hex(bytes.subarray(1))}${(bytes[0]! + 27).toString(16)}`;
  };
  return { ...makeWallet('ethereum', checksumAddress, '1', signText), checksumAddress };
}

/** The other form of a signature of Ethereum: n − s, and the other key. */
export function makeHighS(signature: string): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const other = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0');
  return `${signature.slice(0, 66)}${other}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function encodeBase58(bytes: Uint8Array): string {
  let value = BigInt(`0x${hex(bytes)}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = BASE58[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

export interface SolanaWallet extends TestWallet {
  readonly privateKey: KeyObject;
  readonly publicKey: Buffer;
  /** As a Ledger device signs. */
  signOnLedger(message: string, domain: string): string;
}

export function makeSolanaWallet(): SolanaWallet {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signBytes = (content: Buffer): string => sign(null, content, pair.privateKey).toString('base64url');
  const signOnLedger = (message: string, domain: string): string => {
    const text = Buffer.from(message);
    const place = Buffer.alloc(32);
    Buffer.from(domain).copy(place);
    const length = Buffer.from([text.length % 256, Math.floor(text.length / 256)]);
    const head = Buffer.concat([Buffer.from([0xff]), Buffer.from('solana offchain'), Buffer.from([0])]);
    return signBytes(Buffer.concat([head, place, Buffer.from([0, 1]), publicKey, length, text]));
  };
  const wallet = makeWallet('solana', encodeBase58(publicKey), 'solana:mainnet', (message) =>
    signBytes(Buffer.from(message)),
  );
  return { ...wallet, privateKey: pair.privateKey, publicKey, signOnLedger };
}
