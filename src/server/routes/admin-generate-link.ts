import type { AdminCaller } from '../accounts/caller.js';
import { generateLink } from '../accounts/generate-link.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { clientOf, operatorAudienceOf, redirectOf } from './client.js';

export const generateLinkBody = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    email: { type: 'string' },
    new_email: { type: 'string' },
    password: { type: 'string' },
    data: { type: 'object' },
    redirect_to: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface GenerateLinkBody {
  type?: string;
  email?: string;
  new_email?: string;
  password?: string;
  data?: Record<string, unknown>;
  redirect_to?: string;
}

/** POST /admin/generate_link (service.md; operations.md 1.13). */
export async function postGenerateLink(app: App, request: ApiRequest<GenerateLinkBody, AdminCaller>): Promise<Reply> {
  const { body } = request;
  return json(
    await generateLink(app, clientOf(request), request.caller, {
      type: body.type ?? '',
      email: body.email ?? '',
      newEmail: body.new_email ?? '',
      password: body.password ?? '',
      data: body.data ?? {},
      audience: operatorAudienceOf(app, request),
      redirectTo: redirectOf(app, request, body.redirect_to),
    }),
  );
}
