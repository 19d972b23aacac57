import { resend } from '../accounts/resend.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './client.js';

export const resendBody = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    email: { type: 'string' },
    phone: { type: 'string' },
    code_challenge: { type: 'string' },
    code_challenge_method: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface ResendBody {
  type?: string;
  email?: string;
  phone?: string;
  code_challenge?: string;
  code_challenge_method?: string;
}

/** POST /resend (service.md). */
export async function resendCode(app: App, request: ApiRequest<ResendBody>): Promise<Reply> {
  const { body } = request;
  return json(
    await resend(app, clientOf(request), {
      type: body.type ?? '',
      email: body.email ?? '',
      phone: body.phone ?? '',
      codeChallenge: body.code_challenge ?? '',
      codeChallengeMethod: body.code_challenge_method ?? '',
      audience: audienceOf(app, request),
      redirectTo: redirectOf(app, request),
    }),
  );
}
