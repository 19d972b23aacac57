/** Resource indicators (RFC 8707). */
import type { Config } from '../config/settings.js';
import { isLoopback } from '../outbound/loopback.js';

const MAX_LENGTH = 2048;
/** Each adds to the length of every access token. */
const MAX_RESOURCES = 5;

/**
 * Checks the resources of a request.
 * @returns what is wrong, as a sentence; null: nothing
 */
export function findResourceFault(
  { oauthServerResources }: Pick<Config, 'oauthServerResources'>,
  resources: readonly string[],
): string | null {
  if (resources.length > MAX_RESOURCES) return `more than ${MAX_RESOURCES} resources`;
  for (const resource of resources) {
    const fault = findFault(resource, oauthServerResources);
    if (fault !== null) return fault;
  }
  return null;
}

function findFault(resource: string, permitted: readonly string[]): string | null {
  if (resource.length > MAX_LENGTH) return 'resource is too long';
  let url: URL;
  try {
    url = new URL(resource);
  } catch {
    return 'resource must be an absolute URI';
  }
  if (!/^[\x21-\x7e]+$/.test(resource)) return 'resource must be an absolute URI';
  if (resource.includes('#')) return 'resource must not have a fragment';
  if (resource.includes('?')) return 'resource must not have a query';
  const isPermitted =
    permitted.length === 0
      ? url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
      : permitted.some((pattern) => matches(pattern, resource));
  return isPermitted ? null : 'resource is not one of this server';
}

const matches = (pattern: string, resource: string): boolean =>
  pattern.endsWith('*') ? resource.startsWith(pattern.slice(0, -1)) : resource === pattern;
