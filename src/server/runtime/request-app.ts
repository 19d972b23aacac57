import { clientAddressOf, keySourceOf } from '../guards/client-key.js';
import type { ApiRequest } from '../http/types.js';
import type { App } from './app.js';

/**
 * The parts as one request sees them: its audit entries have the address of its client. A store that follows each promise
 * would cost every request more (src/db/origin.ts).
 */
export function forRequest(app: App, request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>): App {
  const own: { -readonly [Name in 'clientAddress']?: App[Name] } = Object.create(app);
  own.clientAddress = () => clientAddressOf(request, keySourceOf(app.config));
  return own as App;
}
