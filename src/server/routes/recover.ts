import { sendRecovery } from '../accounts/recover.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './client.js';

export const recoverBody = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    code_challenge: { type: 'string' },
    code_challenge_method: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface RecoverBody {
  email?: string;
  code_challenge?: string;
  code_challenge_method?: string;
}

/** POST /recover (service.md). */
export async function recover(app: App, request: ApiRequest<RecoverBody>): Promise<Reply> {
  await sendRecovery(app, clientOf(request), {
    email: request.body.email ?? '',
    codeChallenge: request.body.code_challenge ?? '',
    codeChallengeMethod: request.body.code_challenge_method ?? '',
    audience: audienceOf(app, request),
    redirectTo: redirectOf(app, request),
  });
  return json({});
}
