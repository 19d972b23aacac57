/** Which addresses are on the public internet (SSRF: https://owasp.org/www-community/attacks/Server_Side_Request_Forgery). */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A name resolves to an address that is not public. */
export class PrivateAddressError extends Error {
  constructor() {
    super('The name resolves to an address that is not on the public internet');
    this.name = 'PrivateAddressError';
  }
}

/** The registries of special addresses: RFC 6890 and https://www.iana.org/assignments/iana-ipv6-special-registry/. */
const networks = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ],
  // Those that contain IPv4 addresses (64:ff9b::, 2002::) could lead to a private one.
  ipv6: [
    ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
    ...['5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  ],
} as const;

let special: BlockList | undefined;

function listSpecial(): BlockList {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const network of networks[family]) {
      const [address = '', bits] = network.split('/');
      list.addSubnet(address, Number(bits), family);
    }
  }
  return list;
}

/** @param address IPv4 or IPv6, also IPv4 mapped into IPv6, which BlockList reads as IPv4 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  special ??= listSpecial();
  return version !== 0 && !special.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** @param hostname of a URL: a name that is private wherever it is resolved, or a private address */
export function isPrivateName(hostname: string): boolean {
  const name = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(name) !== 0) return !isPublicAddress(name);
  return name === '' || name === 'localhost' || name.endsWith('.localhost');
}

/**
 * For `lookup` of a connection: fails with {@link PrivateAddressError} if any address of the name is private. The connection goes
 * to the addresses that were checked.
 */
export const lookUpPublic: LookupFunction = (hostname, options, callback) =>
  lookUpGuarded(lookup, hostname, options, (error, found) => {
    if (error !== null) callback(error, '');
    else answerLookup(found, options, callback);
  });

/** Resolves a name, and passes on its addresses only if all are public. */
function lookUpGuarded(
  resolve: ResolveName,
  hostname: string,
  options: Parameters<LookupFunction>[1],
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
): void {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, []);
    if (!found.every(({ address }) => isPublicAddress(address))) return callback(new PrivateAddressError(), []);
    callback(null, found);
  });
}

/** What tests put in the place of the internet. No setting can: it is passed to startServer. */
export interface TestInternet {
  /** Its names. The guard checks the addresses. */
  readonly resolve: ResolveName;
  /** Where the server with an address that passed the guard really listens. */
  reach(address: string): string;
  /** Who signs its certificates, as PEM. */
  readonly ca: string;
}

/** {@link lookUpPublic} in a test. */
export const lookUpTest =
  ({ resolve, reach }: TestInternet): LookupFunction =>
  (hostname, options, callback) =>
    lookUpGuarded(resolve, hostname, options, (error, found) => {
      const family = 4;
      if (error !== null) callback(error, '');
      else
        answerLookup(
          found.map(({ address }) => ({ address: reach(address), family })),
          options,
          callback,
        );
    });

const answerLookup = (
  found: LookupAddress[],
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void => {
  if (all === true) callback(null, found);
  else callback(null, found[0]!.address, found[0]!.family);
};

/** As `lookup` of node:dns, for all addresses of a name. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * For `lookup` of all connections of one call: the name is resolved once, so that every try goes to the same server, whatever the
 * DNS says meanwhile. A failed look-up is repeated by the next connection.
 */
export function pinAddresses(resolve: ResolveName = lookup): LookupFunction {
  let pinned: Promise<LookupAddress[]> | undefined;
  return (hostname, options, callback) => {
    pinned ??= new Promise((done, fail) => {
      resolve(hostname, { ...options, all: true }, (error, found) => (error === null ? done(found) : fail(error)));
    });
    pinned.then(
      (found) => answerLookup(found, options, callback),
      (error: NodeJS.ErrnoException) => {
        pinned = undefined;
        callback(error, '');
      },
    );
  };
}

/** @param internet of tests. @throws Error of the resolver for an unknown name, PrivateAddressError */
export function assertPublicName(hostname: string, internet?: TestInternet): Promise<void> {
  if (isPrivateName(hostname)) return Promise.reject(new PrivateAddressError());
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const lookUp = internet === undefined ? lookUpPublic : lookUpTest(internet);
    lookUp(hostname, { all: true }, (error) => (error === null ? resolve() : reject(error)));
  });
}
