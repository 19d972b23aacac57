import { signUp } from '../accounts/sign-up.js';
import type { App } from '../app.js';
import { type ApiRequest, type ClientLimit, json, type ObjectSchema, type Reply } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './client.js';

export const signupBody = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    phone: { type: 'string' },
    password: { type: 'string' },
    data: { type: 'object' },
    channel: { type: 'string' },
    code_challenge: { type: 'string' },
    code_challenge_method: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface SignupBody {
  email?: string;
  phone?: string;
  password?: string;
  data?: Record<string, unknown>;
  channel?: string;
  code_challenge?: string;
  code_challenge_method?: string;
}

/** Anonymous sign-ins have a limit of their own, and are counted by it where they are off, too. */
export const signupLimit = ({ body }: ApiRequest): ClientLimit => {
  const { email, phone } = body as SignupBody;
  return email || phone ? 'signup' : 'anonymous';
};

/** POST /signup (service.md): by email, by phone, or with neither as an anonymous person. */
export async function signup(app: App, request: ApiRequest<SignupBody>): Promise<Reply> {
  const { body } = request;
  return json(
    await signUp(app, clientOf(request), {
      email: body.email ?? '',
      phone: body.phone ?? '',
      password: body.password ?? '',
      data: body.data ?? {},
      channel: body.channel ?? '',
      codeChallenge: body.code_challenge ?? '',
      codeChallengeMethod: body.code_challenge_method ?? '',
      audience: audienceOf(app, request),
      redirectTo: redirectOf(app, request),
    }),
  );
}
