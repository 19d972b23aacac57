/** Makes a self-signed certificate (RFC 5280) for the servers of tests; node:crypto cannot. */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

const element = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  // DER requires the shortest form (X.690 10.1); Go rejects any other.
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]): Buffer => element(0x30, ...parts);
const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const utcTime = (at: number): Buffer =>
  element(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAMES = oid('551d11');
const DAY_MS = 86_400_000;

/** @param name host name, or IPv4 address, that it is for; valid for a day */
export function makeCertificate(name: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from('Latchkey test')))));
  const isAddress = /^[\d.]+$/.test(name);
  const alternative = isAddress
    ? element(0x87, Buffer.from(name.split('.').map(Number)))
    : element(0x82, Buffer.from(name));
  const body = sequence(
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, Buffer.of(1)),
    ECDSA_SHA256,
    issuer,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(sequence(ALTERNATIVE_NAMES, element(0x04, sequence(alternative))))),
  );
  const signature = element(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  const der = sequence(body, ECDSA_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n').trim()}\n-----END CERTIFICATE-----\n`,
  };
}
