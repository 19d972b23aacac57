import type { UserCaller } from '../accounts/caller.js';
import { changeUser } from '../accounts/update-user.js';
import { renderUser } from '../accounts/user-view.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { clientOf, redirectOf } from './client.js';

/** GET /user (service.md). The authenticator has read the account already: one statement in all. */
export function getUser(_app: App, request: ApiRequest<unknown, UserCaller>): Reply {
  return { status: 200, json: renderUser(request.caller.user) };
}

export const putUserBody = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    phone: { type: 'string' },
    password: { type: 'string' },
    nonce: { type: 'string' },
    data: { type: 'object' },
    app_metadata: { type: 'object' },
    channel: { type: 'string' },
    code_challenge: { type: 'string' },
    code_challenge_method: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface PutUserBody {
  email?: string;
  phone?: string;
  password?: string;
  nonce?: string;
  data?: Record<string, unknown>;
  app_metadata?: Record<string, unknown>;
  channel?: string;
  code_challenge?: string;
  code_challenge_method?: string;
}

/** PUT /user (service.md). */
export async function putUser(app: App, request: ApiRequest<PutUserBody, UserCaller>): Promise<Reply> {
  const { body } = request;
  return json(
    await changeUser(app, clientOf(request), request.caller, {
      email: body.email || null,
      phone: body.phone || null,
      password: body.password ?? null,
      nonce: body.nonce || null,
      data: body.data ?? null,
      appMetadata: body.app_metadata ?? null,
      channel: body.channel ?? '',
      codeChallenge: body.code_challenge ?? '',
      codeChallengeMethod: body.code_challenge_method ?? '',
      redirectTo: redirectOf(app, request),
    }),
  );
}
