/** Checks of the resolvers that look records up. */
import { isIP } from 'node:net';
import type { Fault } from './faults.js';
import type { Config } from './settings.js';

/** An address, with a port after a colon, and then that of IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/;

/** @param nameOf the environment name of a key */
export function findDnsFaults(
  config: Config,
  nameOf: (key: string) => string,
): { readonly keys: string[]; readonly fault: Fault }[] {
  const wrong = config.dnsServers.findIndex((server) => !isServer(server));
  if (wrong === -1) return [];
  // Without the value: it may be a secret in the wrong line.
  const problem = `must have only IP addresses, with or without a port; number ${wrong + 1} is none`;
  return [
    { keys: ['dnsServers'], fault: { variable: nameOf('dnsServers'), problem, example: '10.0.0.53,[fd00::53]:5353' } },
  ];
}

function isServer(text: string): boolean {
  const [, six, four, port] = WITH_PORT.exec(text) ?? [];
  if (port === undefined) return isIP(text) !== 0;
  return (six === undefined ? isIP(four!) === 4 : isIP(six) === 6) && Number(port) >= 1 && Number(port) <= 65_535;
}
