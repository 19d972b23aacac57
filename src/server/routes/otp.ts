import { type SignInCodeRequest, sendSignInCode, sendSignInLink } from '../accounts/sign-in-codes.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './client.js';

export const otpBody = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    phone: { type: 'string' },
    create_user: { type: 'boolean' },
    data: { type: 'object' },
    channel: { type: 'string' },
    code_challenge: { type: 'string' },
    code_challenge_method: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface OtpBody {
  email?: string;
  phone?: string;
  create_user?: boolean;
  data?: Record<string, unknown>;
  channel?: string;
  code_challenge?: string;
  code_challenge_method?: string;
}

/** POST /otp (service.md): a link by mail or a code by text. */
export async function otp(app: App, request: ApiRequest<OtpBody>): Promise<Reply> {
  await sendSignInCode(app, clientOf(request), readRequest(app, request));
  return json({});
}

/** POST /magiclink (service.md): /otp for mail alone, under its older name. */
export async function magiclink(app: App, request: ApiRequest<OtpBody>): Promise<Reply> {
  await sendSignInLink(app, clientOf(request), readRequest(app, request));
  return json({});
}

function readRequest(app: App, request: ApiRequest<OtpBody>): SignInCodeRequest {
  const { body } = request;
  return {
    email: body.email ?? '',
    phone: body.phone ?? '',
    createUser: body.create_user ?? true,
    data: body.data ?? {},
    channel: body.channel ?? '',
    codeChallenge: body.code_challenge ?? '',
    codeChallengeMethod: body.code_challenge_method ?? '',
    audience: audienceOf(app, request),
    redirectTo: redirectOf(app, request),
  };
}
