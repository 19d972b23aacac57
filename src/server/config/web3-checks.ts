/** Checks of the settings of sign-in with a wallet. */
import { isLoopback } from '../outbound/loopback.js';
import type { Fault } from './faults.js';
import type { Config } from './settings.js';

const CHAIN_ID = /^[1-9]\d{0,31}$/;

/** @param nameOf the environment name of a key */
export function findWeb3Faults(
  { externalWeb3EthereumRpcUrls: urls }: Config,
  nameOf: (key: string) => string,
): { readonly keys: string[]; readonly fault: Fault }[] {
  const key = 'externalWeb3EthereumRpcUrls';
  const problem = findProblem(Object.entries(urls));
  if (problem === null) return [];
  return [{ keys: [key], fault: { variable: nameOf(key), problem, example: '1:https://eth.example.com/v2/key' } }];
}

/** Addresses often contain a key, so that no text repeats them. */
function findProblem(pairs: readonly (readonly [id: string, url: string])[]): string | null {
  for (const [index, [id, text]] of pairs.entries()) {
    if (!CHAIN_ID.test(id)) return `must begin with the number of a chain in pair ${index + 1}`;
    const url = URL.canParse(text) ? new URL(text) : null;
    const isUsable = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    if (!isUsable) return `must have an https:// address in pair ${index + 1} (http:// only on this machine)`;
  }
  return null;
}
