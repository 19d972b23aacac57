/** Checks of the settings of events. */

import { isPrivateName } from '../outbound/public-address.js';
import { isEventPattern } from './event-types.js';
import type { Fault } from './faults.js';
import type { Config } from './settings.js';

type Found = { keys: string[]; fault: Fault };

/** A failed delivery is tried for 41 hours. */
const MIN_RETENTION_SECONDS = 48 * 3600;

/** @param nameOf the environment name of a key */
export function findEventFaults(config: Config, nameOf: (key: string) => string): Found[] {
  const found: Found[] = [];
  const add = (key: keyof Config, problem: string, example?: string) =>
    found.push({ keys: [key], fault: { variable: nameOf(key), problem, ...(example !== undefined && { example }) } });

  const { webhooksUrl: url } = config;
  if (url !== '' && !isWebhookUrl(new URL(url), config.outboundPrivateHosts)) {
    const hosts = nameOf('outboundPrivateHosts');
    add('webhooksUrl', `must begin with https:// and be on the public internet, unless ${hosts} lists its host`);
  }
  if (url !== '' && config.webhooksSecrets === null) {
    add('webhooksSecrets', `is missing, and ${nameOf('webhooksUrl')} is set: events are always signed`, SECRET_EXAMPLE);
  }
  const position = config.webhooksEvents.findIndex((event) => !isEventPattern(event)) + 1;
  // The value is not repeated: after a mistake it may be that of another setting (SEC-74).
  if (position > 0) add('webhooksEvents', `has an unknown event at position ${position}`, 'user.*,session.created');
  const part = config.webhooksInclude.find((name) => name !== 'user');
  if (part !== undefined) add('webhooksInclude', 'may only be user', 'user');
  if (config.webhooksRetentionSeconds < MIN_RETENTION_SECONDS) {
    add('webhooksRetentionSeconds', 'is under 48 hours: failed deliveries are tried that long', '168h');
  }
  return found;
}

const SECRET_EXAMPLE = 'v1,whsec_ and the output of: openssl rand -base64 32';

/** @returns whether events may be posted there; each connection is checked again */
export const isWebhookUrl = ({ protocol, hostname }: URL, privateHosts: readonly string[]): boolean =>
  privateHosts.includes(hostname) || (protocol === 'https:' && !isPrivateName(hostname));
