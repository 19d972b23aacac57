/**
 * Reads the text that a wallet signs to sign in: EIP-4361 of Ethereum, and its like for Solana. Strict, since two
 * readers of one text must not understand it differently.
 */
import { chainNames, type WalletChain } from './wallet-switches.js';

export interface WalletMessage {
  /** With its port if it has one, in lower case. */
  readonly domain: string;
  /** Before the domain, without a colon; null: none. */
  readonly scheme: string | null;
  /** As written. */
  readonly address: string;
  readonly statement: string;
  readonly uri: URL;
  /** As written; empty for none. */
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly notBeforeMs: number | null;
}

const MIN_BYTES = 64;
const MAX_BYTES = 20_480;
const MIN_LINES = 6;
const MAX_DOMAIN = 255;
const MAX_URI = 2048;
const DOMAIN = /^(?:(https?):\/\/)?((?:localhost|(?:[a-z0-9_-]+\.)+[a-z0-9_-]+)(?::\d{1,5})?)$/i;
/** Characters that move, hide or break what a wallet shows. Line feeds part the lines. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u;
const URI_TEXT = /^[\x21-\x7e]+$/;
/** RFC 3339 5.6 */
const TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const NETWORKS: ReadonlySet<string> = new Set(['mainnet', 'devnet', 'testnet', 'localnet']);

const rules: Readonly<Record<WalletChain, { prefix: string; address: RegExp; isChainId: (id: string) => boolean }>> = {
  solana: {
    prefix: 'siws',
    address: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    isChainId: (id) => id.startsWith('solana:') && NETWORKS.has(id.slice('solana:'.length)),
  },
  ethereum: {
    prefix: 'siwe',
    address: /^0x[a-fA-F0-9]{40}$/,
    isChainId: (id) => /^[1-9]\d{0,31}$/.test(id),
  },
};

/** @returns the message, or why it is none */
export function readMessage(chain: WalletChain, text: string): WalletMessage | { readonly fault: string } {
  const bytes = Buffer.byteLength(text);
  if (bytes < MIN_BYTES) return { fault: 'message is too short' };
  if (bytes > MAX_BYTES) return { fault: 'message must not exceed 20KB' };
  const read = readLines(chain, text);
  return typeof read === 'string' ? { fault: `${rules[chain].prefix}: ${read}` } : read;
}

function readLines(chain: WalletChain, text: string): WalletMessage | string {
  const lines = text.split('\n');
  if (lines.some((line) => UNSEEN.test(line))) return 'message has characters that cannot be shown';
  if (lines.length < MIN_LINES) return `message needs at least ${MIN_LINES} lines`;
  const [first, address, third, fourth, fifth] = lines.map((line) => line.trim()) as [string, ...string[]];
  const ending = ` wants you to sign in with your ${chainNames[chain]} account:`;
  if (!first.endsWith(ending)) return `message does not begin with the line that ends in "${ending.trim()}"`;
  const host = first.slice(0, -ending.length);
  const [, scheme, domain] = (host.length <= MAX_DOMAIN && DOMAIN.exec(host)) || [];
  if (domain === undefined) return 'domain in the first line is not valid';
  if (!rules[chain].address.test(address!)) return 'address in the second line is not valid';
  if (third !== '') return 'third line must be empty';
  const hasStatement = fourth !== '' && fifth === '';
  const fields = readFields(lines.slice(hasStatement ? 5 : 3));
  if (typeof fields === 'string') return fields;
  const values = checkFields(chain, fields);
  if (typeof values === 'string') return values;
  return {
    domain: domain.toLowerCase(),
    scheme: scheme?.toLowerCase() ?? null,
    address: address!,
    statement: hasStatement ? fourth! : '',
    ...values,
  };
}

/** `Key: value` lines in any order. A key that comes twice could mean one thing here and another in the wallet. */
function readFields(lines: readonly string[]): ReadonlyMap<string, string> | string {
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  let isInResources = false;
  for (const given of lines) {
    const line = given.trim();
    if (isInResources && line.startsWith('- ')) {
      if (!isUri(line.slice(2).trim())) return 'a resource is not an absolute URI';
      continue;
    }
    isInResources = false;
    if (line === '') continue;
    // A client forgets the colon there.
    const colon = line === 'Resources' ? line.length : line.indexOf(':');
    if (colon < 1) return 'message has a line that is not "Key: value"';
    const key = line.slice(0, colon);
    if (seen.has(key.toLowerCase())) return 'message has a key twice';
    seen.add(key.toLowerCase());
    if (key === 'Resources') isInResources = true;
    else fields.set(key, line.slice(colon + 1).trim());
  }
  return fields;
}

type Values = Omit<WalletMessage, 'domain' | 'scheme' | 'address' | 'statement'>;

function checkFields(chain: WalletChain, fields: ReadonlyMap<string, string>): Values | string {
  const get = (key: string): string => fields.get(key) ?? '';
  const uri = get('URI');
  if (!isUri(uri)) return 'URI is missing or not valid';
  if (get('Version') !== '1') return 'Version must be 1';
  const chainId = get('Chain ID');
  if (chainId !== '' && !rules[chain].isChainId(chainId)) return 'Chain ID is not valid';
  const [issuedAtMs, expiresAtMs, notBeforeMs] = ['Issued At', 'Expiration Time', 'Not Before'].map((key) =>
    fields.has(key) ? parseTime(get(key)) : null,
  ) as [number | null, number | null, number | null];
  if (issuedAtMs === null) return 'Issued At is missing';
  const times = [issuedAtMs, expiresAtMs, notBeforeMs];
  if (times.some(Number.isNaN)) return 'a time is not written as in RFC 3339';
  if (expiresAtMs !== null && issuedAtMs > expiresAtMs) return 'Issued At is after Expiration Time';
  if (expiresAtMs !== null && notBeforeMs !== null && notBeforeMs > expiresAtMs) {
    return 'Not Before is after Expiration Time';
  }
  return { uri: new URL(uri), chainId, nonce: get('Nonce'), issuedAtMs, expiresAtMs, notBeforeMs };
}

const isUri = (text: string): boolean =>
  text.length <= MAX_URI && URI_TEXT.test(text) && /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);

/** @returns milliseconds since the epoch; NaN for another form, or a day that does not exist */
function parseTime(text: string): number {
  const day = TIME.exec(text)?.[1];
  if (day === undefined) return Number.NaN;
  const begins = Date.parse(day);
  const isRealDay = !Number.isNaN(begins) && new Date(begins).toISOString().startsWith(day);
  return isRealDay ? Date.parse(text) : Number.NaN;
}
