/** Checks of the settings of the console. They count only while it is on. */
import { isLoopback } from '../outbound/loopback.js';
import type { Fault, Notice } from './faults.js';
import type { Config } from './settings.js';

type NameOf = (key: string) => string;

/** @param nameOf the environment name of a key */
export function findConsoleFaults(config: Config, nameOf: NameOf): { keys: string[]; fault: Fault }[] {
  const { consolePort, consoleUrl, port, apiExternalUrl } = config;
  const found: { keys: string[]; fault: Fault }[] = [];
  if (consolePort === null) return found;
  if (consolePort === port) {
    const problem = `is also the port of the API (${nameOf('port')}): the console has one of its own`;
    found.push({ keys: ['consolePort', 'port'], fault: { variable: nameOf('consolePort'), problem, example: '8082' } });
  }
  if (consoleUrl === '') return found;
  const add = (problem: string) =>
    found.push({
      keys: ['consolePort', 'consoleUrl'],
      fault: { variable: nameOf('consoleUrl'), problem, example: 'https://console.example.com' },
    });
  const url = new URL(consoleUrl);
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (!isBare) add('must be an origin: scheme, host and port only');
  else if (url.origin === new URL(apiExternalUrl).origin) {
    add(`must not be the origin of ${nameOf('apiExternalUrl')}: pages there could read the console`);
  }
  return found;
}

/** @returns what makes the console less safe, or unreachable */
export function findConsoleNotices(config: Config, nameOf: NameOf): Notice[] {
  const { consolePort, consoleHost, consoleUrl, apiExternalUrl } = config;
  if (consolePort === null) return [];
  const variable = nameOf('consoleUrl');
  if (consoleUrl === '') {
    if (isLoopback(consoleHost)) return [];
    return [{ variable, message: `${variable} is unset: only browsers on this machine can use the console.` }];
  }
  const { hostname, protocol } = new URL(consoleUrl);
  if (isLoopback(hostname)) return [];
  const notices: Notice[] = [];
  if (protocol !== 'https:') {
    const message = `${variable} begins with http://: passkeys do not work, and others may read what operators see.`;
    notices.push({ variable, message });
  }
  if (hostname === new URL(apiExternalUrl).hostname) {
    const message = `${variable} has the host of ${nameOf('apiExternalUrl')}, which shares cookies between ports: give the console a host of its own.`;
    notices.push({ variable, message });
  }
  return notices;
}
