/** Signatures of wallets, which a thread of their own verifies: its questions and answers, as plain data. */

export interface SolanaSignatureJob {
  readonly chain: 'solana';
  /** The text that was signed. */
  readonly message: string;
  /** Domain in the message, which Ledger devices sign beside the text. */
  readonly domain: string;
  /** 32 bytes, hex. */
  readonly publicKey: string;
  /** 64 bytes, hex. */
  readonly signature: string;
}

export interface EthereumSignatureJob {
  readonly chain: 'ethereum';
  readonly message: string;
  /** Lower case, with 0x. */
  readonly address: string;
  /** Hex, without 0x. One that has not 65 bytes is that of a contract, if it is any. */
  readonly signature: string;
}

export interface CheckedSignature {
  readonly isSigned: boolean;
  /** Ethereum: the hash that the wallet signs (EIP-191), hex; else empty. */
  readonly hash: string;
  /** Ethereum: the address in mixed case (EIP-55); else empty. */
  readonly checksumAddress: string;
}

/** Verification of signatures of wallets, in a thread that starts with the first one. */
export interface WalletVerification {
  /** @throws CryptoPoolFullError when too many signatures wait */
  verifyWallet(job: SolanaSignatureJob | EthereumSignatureJob): Promise<CheckedSignature>;
}
