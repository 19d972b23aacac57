import type { AdminCaller } from '../accounts/caller.js';
import { invite } from '../accounts/invite.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { clientOf, operatorAudienceOf, redirectOf } from './client.js';

export const inviteBody = {
  type: 'object',
  properties: { email: { type: 'string' }, data: { type: 'object' } },
} as const satisfies ObjectSchema;

export interface InviteBody {
  email?: string;
  data?: Record<string, unknown>;
}

/** POST /invite (service.md), for operators. */
export async function inviteUser(app: App, request: ApiRequest<InviteBody, AdminCaller>): Promise<Reply> {
  return json(
    await invite(app, clientOf(request), {
      email: request.body.email ?? '',
      data: request.body.data ?? {},
      audience: operatorAudienceOf(app, request),
      redirectTo: redirectOf(app, request),
      operator: request.caller,
    }),
  );
}
