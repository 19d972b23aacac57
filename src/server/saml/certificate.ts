/**
 * The certificate of our key, as metadata needs one (X.509, RFC 5280). All its fields are fixed, so it is the same after
 * every start; only its key is checked.
 */
import { createPublicKey, type KeyObject, sign } from 'node:crypto';

const element = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  // The shortest form (X.690 10.1).
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const text = (tag: number, value: string): Buffer => element(tag, Buffer.from(value));
const extension = (id: string, value: Buffer, isCritical: boolean): Buffer =>
  sequence(oid(id), ...(isCritical ? [element(0x01, Buffer.of(0xff))] : []), element(0x04, value));

const SHA256_RSA = sequence(oid('2a864886f70d01010b'), element(0x05));
const COMMON_NAME = '550403';
const KEY_USAGE = '551d0f';
const EXTENDED_KEY_USAGE = '551d25';
const BASIC_CONSTRAINTS = '551d13';
const ALTERNATIVE_NAMES = '551d11';
const CLIENT_AUTH = '2b06010505070302';
const DIGITAL_SIGNATURE = 0x80;
const DATA_ENCIPHERMENT = 0x10;
/** 1970 plus 200 years. */
const BEGIN = '700101000000Z';
const END = '21700101000000Z';

/**
 * @param host of our entity id
 * @param decrypts assertions may be encrypted for the key
 * @returns DER
 */
export function makeSamlCertificate(key: KeyObject, host: string, decrypts: boolean): Buffer {
  const name = sequence(element(0x31, sequence(oid(COMMON_NAME), text(0x0c, `SAML 2.0 Certificate for ${host}`))));
  const bits = DIGITAL_SIGNATURE | (decrypts ? DATA_ENCIPHERMENT : 0);
  const usage = element(0x03, Buffer.of(decrypts ? 4 : 7, bits));
  const extensions = sequence(
    extension(KEY_USAGE, usage, true),
    extension(EXTENDED_KEY_USAGE, sequence(oid(CLIENT_AUTH)), false),
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(ALTERNATIVE_NAMES, sequence(text(0x82, `_samlsp.${host}`)), false),
  );
  const body = sequence(
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, Buffer.of(0)),
    SHA256_RSA,
    name,
    sequence(text(0x17, BEGIN), text(0x18, END)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    element(0xa3, extensions),
  );
  return sequence(body, SHA256_RSA, element(0x03, Buffer.of(0), sign('sha256', body, key)));
}
