/** Long answers of the console's API are compressed: operators read them over slow lines, too, and there are few of them. */
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { takesCoding } from '../http/content-coding.js';
import type { Reply, Route } from '../http/types.js';
import type { App } from '../runtime/app.js';

const pack = promisify(brotliCompress);
/** Below, a packet or two are saved at most. */
const MIN_LENGTH = 4096;
/** A list has a fifth to a ninth of its length, after one millisecond for 200 kB outside the thread; 4 and more take twice that. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

/** The same endpoint with compressed answers, for clients that accept them. */
export function packed(route: Route<App>): Route<App> {
  if (route.method !== 'GET') return route;
  return {
    ...route,
    handler: async (app, request): Promise<Reply> => {
      const reply = await route.handler(app, request);
      const { status, body, headers = {} } = reply;
      if (status !== 200 || typeof body !== 'object' || body === null || body instanceof Uint8Array) return reply;
      if (!takesCoding(request.header('accept-encoding'), 'br')) return reply;
      const json = JSON.stringify(body);
      if (json.length < MIN_LENGTH) return { ...reply, body: undefined, json };
      return {
        ...reply,
        body: await pack(json, OPTIONS),
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Encoding': 'br',
          Vary: 'Accept-Encoding',
        },
      };
    },
  };
}
