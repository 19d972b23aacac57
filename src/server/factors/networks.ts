import { BlockList, isIP } from 'node:net';

/**
 * Whether two client addresses are in one network, a /24 or a /64: telephones change their address within it.
 * @param first null: unknown, which equals nothing but another unknown one
 */
export function isSameNetwork(first: string | null, second: string | null): boolean {
  if (first === second) return true;
  if (first === null || second === null) return false;
  const [family, other] = [isIP(first), isIP(second)];
  if (family === 0 || family !== other) return false;
  const network = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  network.addSubnet(first, family === 4 ? 24 : 64, type);
  return network.check(second, type);
}
