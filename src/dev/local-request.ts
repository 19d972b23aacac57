import type { ApiRequest } from '../server/http/types.js';

const LOCAL_NAME = /^(localhost|.+\.localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])$/i;

/**
 * Keeps codes and assertions from other web pages in the developer's browser, since responses have the wildcard CORS header.
 * A foreign name for this machine (DNS rebinding) is same-origin to the browser, and over plain HTTP it sends no Fetch
 * Metadata: the host must be an address, a local name or the server's own. Otherwise Fetch Metadata decides
 * (https://www.w3.org/TR/fetch-metadata/); curl sends none and is permitted.
 * @param ownName host name of the server. @param isPage other pages may lead the browser there
 */
export function isLocalRequest(request: ApiRequest, ownName: string, isPage: boolean): boolean {
  const host = request.header('host') ?? '';
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (name !== ownName && !LOCAL_NAME.test(name)) return false;
  const site = request.header('sec-fetch-site');
  const origin = request.header('origin');
  if (site === undefined) return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  if (site === 'same-origin' || site === 'none') return true;
  return isPage && request.header('sec-fetch-mode') === 'navigate';
}
