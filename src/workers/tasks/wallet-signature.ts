/** Verifies signatures of wallets: Ed25519 of Solana, secp256k1 of Ethereum. */
import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { CheckedSignature, EthereumSignatureJob, SolanaSignatureJob } from '../wallet-wire.js';

/** Everything before the key in its DER form (RFC 8410 4). */
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
/** Begins an off-chain message of Solana, version 0. */
const LEDGER_HEAD = Buffer.concat([Buffer.from([0xff]), Buffer.from('solana offchain'), Buffer.from([0])]);
const LEDGER_DOMAIN_BYTES = 32;
/** The length of the text has two bytes. */
const MAX_LEDGER_BYTES = 0xffff;
/** r and s; the last byte says which of the keys it is. */
const COMPACT_BYTES = 64;

export const checkSignature = (job: SolanaSignatureJob | EthereumSignatureJob): CheckedSignature =>
  job.chain === 'solana' ? checkSolana(job) : checkEthereum(job);

function checkSolana({ message, domain, publicKey, signature }: SolanaSignatureJob): CheckedSignature {
  const bytes = Buffer.from(publicKey, 'hex');
  const signed = Buffer.from(signature, 'hex');
  const text = Buffer.from(message);
  let isSigned = false;
  try {
    const key = createPublicKey({ key: Buffer.concat([ED25519_HEAD, bytes]), format: 'der', type: 'spki' });
    const isValid = (content: Buffer): boolean => verify(null, content, key, signed);
    const isTrue = isValid(text) || (text.length <= MAX_LEDGER_BYTES && isValid(ledgerEnvelope(text, domain, bytes)));
    // A key of small order has signatures that are true for many texts, so they prove nothing.
    isSigned = isTrue && !ed25519.Point.fromBytes(bytes).isSmallOrder();
  } catch {
    // No point of the curve.
  }
  return { isSigned, hash: '', checksumAddress: '' };
}

/** What a Ledger device signs: it refuses to sign a bare text. */
function ledgerEnvelope(text: Buffer, domain: string, key: Buffer): Buffer {
  const place = Buffer.alloc(LEDGER_DOMAIN_BYTES);
  place.write(domain);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  // Format 0, restricted ASCII; one signer.
  return Buffer.concat([LEDGER_HEAD, place, Buffer.from([0, 1]), key, length, text]);
}

function checkEthereum({ message, address, signature }: EthereumSignatureJob): CheckedSignature {
  const text = Buffer.from(message);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]));
  const isSigned = recoverAddress(hash, Buffer.from(signature, 'hex')) === address;
  return { isSigned, hash: Buffer.from(hash).toString('hex'), checksumAddress: spellChecksum(address) };
}

/** @returns in lower case; undefined for what no key can have signed */
function recoverAddress(hash: Uint8Array, bytes: Buffer): string | undefined {
  if (bytes.length !== COMPACT_BYTES + 1) return undefined;
  const last = bytes[COMPACT_BYTES]!;
  const parity = last >= 27 ? last - 27 : last;
  if (parity > 1) return undefined;
  try {
    const signature = secp256k1.Signature.fromBytes(bytes.subarray(0, COMPACT_BYTES), 'compact');
    // Anyone can make the other form of a signature (EIP-2); wallets never do.
    if (signature.hasHighS()) return undefined;
    const key = signature.addRecoveryBit(parity).recoverPublicKey(hash).toBytes(false);
    return `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(-20)).toString('hex')}`;
  } catch {
    return undefined;
  }
}

/** EIP-55 */
function spellChecksum(address: string): string {
  const digits = address.slice(2);
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  return `0x${[...digits].map((digit, at) => (hash[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`;
}
