import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { type Verified, verifyCode, verifyLink } from '../codes/verify.js';
import { apiError } from '../errors.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { audienceOf, clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { type BodyOf, fields } from './shared/fields.js';
import { policyErrors } from './shared/organization-docs.js';

const body = fields('type', 'token', 'token_hash', 'email', 'phone', 'password', 'redirect_to', 'organization_id');
type VerifyRequest = ApiRequest<BodyOf<typeof body>>;

export const postVerify = defineEndpoint({
  method: 'POST',
  path: '/verify',
  trailingSlash: true,
  caller: 'none',
  takesTrustedDevice: true,
  limit: 'verify',
  body,
  id: 'verifyCode',
  tag: 'Sign-in',
  summary: 'Redeems a code with its address, or the token of a link.',
  answers: {
    200: {
      description: 'Signed in; or, after the first of two confirmations of a new address, what to do next.',
      body: { anyOf: [{ $ref: '#/components/schemas/TokenResponse' }, { $ref: '#/components/schemas/Message' }] },
    },
  },
  errors: [
    'codeInvalid',
    'linkInvalid',
    'verifyTypeRequired',
    'verifyTokenRequired',
    'verifyPasswordRequired',
    'accessTokenTooLong',
    'weakPassword',
    'notAMember',
    ...policyErrors,
    'organizationsDisabled',
    'organizationAddressNotAllowed',
    'alreadyAMember',
    'tooManyMembers',
    'tooManyOrganizations',
  ],
  handler: verify,
});

export const HALF_CONFIRMED = 'Confirmation link accepted. Please proceed to confirm link sent to the other email';

/** Format of link tokens; a `token` in this format without an address is one (docs/compatibility.md). */
const LINK_TOKEN = /^(pkce_)?[0-9a-f]{56}$/;

async function verify(app: App, request: VerifyRequest): Promise<Reply> {
  const { body } = request;
  const type = body.type ?? '';
  if (type === '') throw apiError('verifyTypeRequired');
  if (Boolean(body.token) === Boolean(body.token_hash)) throw apiError('verifyTokenOrHash');
  const isLoneLinkToken = !body.email && !body.phone && LINK_TOKEN.test(body.token ?? '');
  const linkToken = body.token_hash || (isLoneLinkToken ? body.token! : '');
  const verified = linkToken
    ? await verifyByLink(app, request, type, linkToken)
    : await verifyByCode(app, request, type, body.token ?? '');
  return answer(verified, body.phone ? null : type);
}

function verifyByLink(app: App, request: VerifyRequest, type: string, linkToken: string): Promise<Verified> {
  const { email, phone, redirect_to, token_hash, password } = request.body;
  if (email || phone || (token_hash && redirect_to)) throw apiError('verifyHashAlone');
  return verifyLink(app, clientOf(request), { type, linkToken, password: password ?? '', isNavigation: false });
}

function verifyByCode(app: App, request: VerifyRequest, type: string, code: string): Promise<Verified> {
  const { email, phone, password } = request.body;
  if (Boolean(email) === Boolean(phone)) throw apiError('verifyOneContact');
  const contact = email
    ? ({ channel: 'email', address: readEmail(email) } as const)
    : ({ channel: 'phone', address: normalisePhone(phone!) } as const);
  const redemption = { type, contact, code, audience: audienceOf(app, request), password: password ?? '' };
  return verifyCode(app, clientOf(request), redemption);
}

/** Only here an invalid address is a 422. */
function readEmail(email: string): string {
  try {
    return normaliseEmail(email);
  } catch {
    throw apiError('verifyEmailInvalid');
  }
}

/** @param type null: a phone, whose answer has no type */
function answer(verified: Verified, type: string | null): Reply {
  switch (verified.outcome) {
    case 'signed_in':
      return json(type === null ? verified.tokens : { ...verified.tokens, type: verified.type });
    case 'half_confirmed':
      // A string, as supabase/auth sends it.
      return json({ code: '200', msg: HALF_CONFIRMED });
    case 'auth_code':
      throw new Error('A link redeemed by POST gives tokens, never an auth code.');
  }
}
