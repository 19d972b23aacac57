import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { type Verified, verifyCode, verifyLink } from '../accounts/verify.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { audienceOf, clientOf } from './client.js';

export const verifyBody = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    token: { type: 'string' },
    token_hash: { type: 'string' },
    email: { type: 'string' },
    phone: { type: 'string' },
    password: { type: 'string' },
    redirect_to: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface VerifyBody {
  type?: string;
  token?: string;
  token_hash?: string;
  email?: string;
  phone?: string;
  password?: string;
  redirect_to?: string;
}

export const HALF_CONFIRMED = 'Confirmation link accepted. Please proceed to confirm link sent to the other email';

/** The shape of a link's token; a lone `token` that has it is one (decisions.md 5). */
const LINK_TOKEN = /^(pkce_)?[0-9a-f]{56}$/;

/** POST /verify (service.md): redeems a code with its address, or the token of a link. */
export async function verify(app: App, request: ApiRequest<VerifyBody>): Promise<Reply> {
  const { body } = request;
  const type = body.type ?? '';
  if (type === '') throw refuse('verifyTypeRequired');
  if (Boolean(body.token) === Boolean(body.token_hash)) throw refuse('verifyTokenOrHash');
  const isLoneLinkToken = !body.email && !body.phone && LINK_TOKEN.test(body.token ?? '');
  const linkToken = body.token_hash || (isLoneLinkToken ? body.token! : '');
  const verified = linkToken
    ? await verifyByLink(app, request, type, linkToken)
    : await verifyByCode(app, request, type, body.token ?? '');
  return answer(verified, body.phone ? null : type);
}

function verifyByLink(app: App, request: ApiRequest<VerifyBody>, type: string, linkToken: string): Promise<Verified> {
  const { email, phone, redirect_to, token_hash, password } = request.body;
  if (email || phone || (token_hash && redirect_to)) throw refuse('verifyHashAlone');
  return verifyLink(app, clientOf(request), { type, linkToken, password: password ?? '', isNavigation: false });
}

function verifyByCode(app: App, request: ApiRequest<VerifyBody>, type: string, code: string): Promise<Verified> {
  const { email, phone, password } = request.body;
  if (Boolean(email) === Boolean(phone)) throw refuse('verifyOneContact');
  const contact = email
    ? ({ channel: 'email', address: readEmail(email) } as const)
    : ({ channel: 'phone', address: normalisePhone(phone!) } as const);
  const redemption = { type, contact, code, audience: audienceOf(app, request), password: password ?? '' };
  return verifyCode(app, clientOf(request), redemption);
}

/** Here, and only here, a bad address is a 422 (delivery.md 1.3). */
function readEmail(email: string): string {
  try {
    return normaliseEmail(email);
  } catch {
    throw refuse('verifyEmailInvalid');
  }
}

/** @param type null: a phone, whose answer names no type (decisions.md 7) */
function answer(verified: Verified, type: string | null): Reply {
  switch (verified.outcome) {
    case 'signed_in':
      return json(type === null ? verified.tokens : { ...verified.tokens, type: verified.type });
    case 'half_confirmed':
      // A string, as the compatible peer sends it (delivery.md 1.10).
      return json({ code: '200', msg: HALF_CONFIRMED });
    case 'auth_code':
      throw new Error('A link redeemed by POST gives tokens, never an auth code.');
  }
}
