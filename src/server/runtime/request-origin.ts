import { type ChangeOrigin, withOrigin } from '../../db/origin.js';
import type { OperatorCaller } from '../console/operator.js';
import type { ApiRequest, Route } from '../http/types.js';
import type { ScimCaller } from '../scim/scim-caller.js';
import type { AdminCaller } from '../sessions/administrator.js';
import type { UserCaller } from '../sessions/caller.js';
import type { App } from './app.js';
import { forRequest } from './request-app.js';

/** A route whose audit entries have the client's address, and whose changes carry the request's origin while events are recorded. */
export function withRequestOrigin(route: Route<App>): Route<App> {
  const { handler } = route;
  if (route.quiet === true || (route.method === 'GET' && route.caller !== 'none' && route.changesOnGet !== true))
    return route;
  return {
    ...route,
    handler(shared, request) {
      const app = forRequest(shared, request);
      if (!app.events.isOn()) return handler(app, request);
      const reply = withOrigin(originOf(request), () => handler(app, request));
      if (reply instanceof Promise) reply.then(app.events.nudge, app.events.nudge);
      return reply;
    },
  };
}

function originOf({ id, clientIp, caller }: ApiRequest<unknown>): ChangeOrigin {
  const origin = { request_id: id, ip: clientIp };
  const known = caller as UserCaller | AdminCaller | ScimCaller | OperatorCaller | undefined;
  if (known === undefined) return origin;
  if ('user' in known) return { ...origin, actor: { type: 'user', id: known.user.id } };
  if ('tokenId' in known) return { ...origin, actor: { type: 'scim', id: known.tokenId } };
  if ('sessionHash' in known) return { ...origin, actor: { type: 'operator', id: known.id, role: known.role } };
  return { ...origin, actor: { type: 'admin', id: known.subject, role: known.role } };
}
