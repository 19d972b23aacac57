/** A software authenticator: makes registrations and assertions as browsers answer them, true and false ones. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type CborValue, encodeCbor } from './cbor.js';
import { takeRsaKey } from './rsa-keys.js';

export type TestAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

export interface Flags {
  /** User present. */
  readonly up: boolean;
  /** User verified. */
  readonly uv: boolean;
  /** Backup eligible, and backed up. */
  readonly be: boolean;
  readonly bs: boolean;
}

/** What a response says instead of the truth. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly flags?: Partial<Flags>;
  readonly counter?: number;
  /** base64url; null: none */
  readonly userHandle?: string | null;
  readonly credentialId?: string;
  /** Signs with another key. */
  readonly otherKey?: boolean;
  readonly topOrigin?: string;
}

export interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

export interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
}

export interface AuthenticatorOptions {
  readonly algorithm?: TestAlgorithm;
  readonly attestation?: 'none' | 'packed';
  readonly origin?: string;
  readonly aaguid?: string;
  readonly flags?: Partial<Flags>;
  readonly counter?: number;
  readonly credentialId?: string;
  readonly transports?: readonly string[];
}

export const TEST_ORIGIN = 'https://app.example.com';
const coseNumbers = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

/** One credential. `counter` counts its uses; `counting` false keeps it at 0, as synced passkeys do. */
export class Authenticator {
  readonly algorithm: TestAlgorithm;
  readonly credentialId: string;
  userHandle = '';
  counter: number;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions = {}) {
    this.#options = options;
    this.algorithm = options.algorithm ?? 'ES256';
    this.credentialId = options.credentialId ?? randomBytes(32).toString('base64url');
    this.counter = options.counter ?? 0;
    this.#keys = makeKeys(this.algorithm);
  }

  /** COSE key, as servers store it. */
  get publicKey(): Buffer {
    return encodeCbor(coseKey(this.algorithm, this.#keys.publicKey));
  }

  /** PKCS #8 in base64, as browsers take it for a virtual authenticator. */
  get privateKey(): string {
    return this.#keys.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  }

  /** navigator.credentials.create() */
  create(options: CreationOptions, lies: Lies = {}): Record<string, unknown> {
    this.userHandle = options.user.id;
    const clientData = this.#clientData('webauthn.create', options.challenge, lies);
    const id = Buffer.from(lies.credentialId ?? this.credentialId, 'base64url');
    const attested = Buffer.concat([
      Buffer.from((this.#options.aaguid ?? '00000000-0000-0000-0000-000000000000').replaceAll('-', ''), 'hex'),
      Buffer.of(id.length >> 8, id.length & 0xff),
      id,
      encodeCbor(coseKey(this.algorithm, this.#keys.publicKey)),
    ]);
    const authData = this.#authenticatorData(lies.rpId ?? options.rp.id, lies, attested);
    const isPacked = this.#options.attestation === 'packed';
    const statement = new Map<CborValue, CborValue>(
      isPacked
        ? [
            ['alg', coseNumbers[this.algorithm]],
            ['sig', this.#sign(authData, clientData, lies)],
          ]
        : [],
    );
    const attestationObject = encodeCbor(
      new Map<CborValue, CborValue>([
        ['fmt', isPacked ? 'packed' : 'none'],
        ['attStmt', statement],
        ['authData', authData],
      ]),
    );
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: this.#options.transports ?? ['internal', 'hybrid'],
    });
  }

  /** navigator.credentials.get() */
  get(options: RequestOptions, lies: Lies = {}): Record<string, unknown> {
    const clientData = this.#clientData('webauthn.get', options.challenge, lies);
    const authData = this.#authenticatorData(lies.rpId ?? options.rpId, lies);
    const userHandle = lies.userHandle === undefined ? this.userHandle : lies.userHandle;
    return this.#credential(
      {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: this.#sign(authData, clientData, lies).toString('base64url'),
        ...(userHandle !== null && { userHandle }),
      },
      lies.credentialId,
    );
  }

  #credential(response: object, id = this.credentialId): Record<string, unknown> {
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    };
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.#options.origin ?? TEST_ORIGIN,
        crossOrigin: lies.topOrigin !== undefined,
        ...(lies.topOrigin !== undefined && { topOrigin: lies.topOrigin }),
      }),
    );
  }

  #authenticatorData(rpId: string, lies: Lies, attested?: Buffer): Buffer {
    const flags = { up: true, uv: true, be: true, bs: true, ...this.#options.flags, ...lies.flags };
    const bits =
      (flags.up ? 1 : 0) |
      (flags.uv ? 4 : 0) |
      (flags.be ? 8 : 0) |
      (flags.bs ? 16 : 0) |
      (attested === undefined ? 0 : 64);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.counter);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.of(bits), counter, attested ?? Buffer.alloc(0)]);
  }

  #sign(authData: Buffer, clientData: Buffer, lies: Lies): Buffer {
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const key = lies.otherKey === true ? makeKeys(this.algorithm).privateKey : this.#keys.privateKey;
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', signed, key);
  }
}

function makeKeys(algorithm: TestAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  const privateKey = takeRsaKey();
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** RFC 9053 7, RFC 8230 4. */
function coseKey(algorithm: TestAlgorithm, key: KeyObject): Map<CborValue, CborValue> {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (text: string | undefined): Buffer => Buffer.from(text!, 'base64url');
  const parts: Record<TestAlgorithm, () => [number, CborValue][]> = {
    ES256: () => [
      [1, 2],
      [3, coseNumbers.ES256],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ],
    EdDSA: () => [
      [1, 1],
      [3, coseNumbers.EdDSA],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ],
    RS256: () => [
      [1, 3],
      [3, coseNumbers.RS256],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ],
  };
  return new Map<CborValue, CborValue>(parts[algorithm]());
}
