/**
 * The table of routes: every URL this server answers, one line each. What a route needs from its caller stands here and
 * nowhere else (SEC-59).
 */
import type { App } from '../app.js';
import type { Route } from '../http/types.js';
import { listAudit } from './admin-audit.js';
import { listFactors, refuseFactor } from './admin-factors.js';
import { generateLinkBody, postGenerateLink } from './admin-generate-link.js';
import { deleteUserBody, deleteUserById, getUserById, putUserById } from './admin-user.js';
import { adminUserBody, listUsers, postUser } from './admin-users.js';
import { authorize, authorizeLinking } from './authorize.js';
import { callback } from './callback.js';
import { health, ready } from './health.js';
import { deleteIdentity } from './identities.js';
import { inviteBody, inviteUser } from './invite.js';
import { jwks } from './jwks.js';
import { logout } from './logout.js';
import { openapi } from './openapi.js';
import { magiclink, otp, otpBody } from './otp.js';
import { reauthenticate } from './reauthenticate.js';
import { recover, recoverBody } from './recover.js';
import { resendBody, resendCode } from './resend.js';
import { settings } from './settings.js';
import { signup, signupBody, signupLimit } from './signup.js';
import { token, tokenBody, tokenCaptcha } from './token.js';
import { getUser, putUser, putUserBody } from './user.js';
import { verify, verifyBody } from './verify.js';
import { confirmLink, followLink } from './verify-link.js';

/** Metadata that a token can carry has up to 9 kB as JSON, and 54 kB where each character is sent as an escape. */
const METADATA_BODY_BYTES = 131_072;

// biome-ignore format: one line a route
export const routes: readonly Route<App>[] = [
  { method: 'POST', path: '/signup', auth: 'none', limit: signupLimit, captcha: true, body: signupBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: signup },
  { method: 'POST', path: '/token', auth: 'none', limit: 'token', captcha: tokenCaptcha, body: tokenBody, handler: token },
  { method: 'POST', path: '/otp', auth: 'none', limit: 'otp', captcha: true, body: otpBody, maxBodyBytes: METADATA_BODY_BYTES, handler: otp },
  { method: 'POST', path: '/magiclink', auth: 'none', limit: 'magiclink', captcha: true, body: otpBody, maxBodyBytes: METADATA_BODY_BYTES, badBody: 'badVerificationParams', handler: magiclink },
  { method: 'POST', path: '/recover', auth: 'none', limit: 'recover', captcha: true, body: recoverBody, handler: recover },
  { method: 'POST', path: '/resend', auth: 'none', limit: 'resend', captcha: true, body: resendBody, handler: resendCode },
  { method: 'POST', path: '/verify', auth: 'none', limit: 'verify', body: verifyBody, trailingSlash: true, handler: verify },
  { method: 'GET', path: '/verify', auth: 'none', limit: 'verify', trailingSlash: true, handler: followLink },
  { method: 'POST', path: '/verify/confirm', auth: 'none', limit: 'verify', form: true, handler: confirmLink },
  { method: 'POST', path: '/invite', auth: 'admin', body: inviteBody, maxBodyBytes: METADATA_BODY_BYTES, handler: inviteUser },
  { method: 'GET', path: '/reauthenticate', auth: 'user', trailingSlash: true, handler: reauthenticate },
  { method: 'GET', path: '/user', auth: 'user', callerMayLag: true, trailingSlash: true, handler: getUser },
  { method: 'PUT', path: '/user', auth: 'user', limit: 'user', body: putUserBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: putUser },
  { method: 'GET', path: '/user/identities/authorize', auth: 'user', limit: 'authorize', handler: authorizeLinking },
  { method: 'DELETE', path: '/user/identities/{identity_id}', auth: 'user', handler: deleteIdentity },
  { method: 'GET', path: '/authorize', auth: 'none', limit: 'authorize', handler: authorize },
  { method: 'GET', path: '/callback', auth: 'none', handler: callback },
  { method: 'POST', path: '/callback', auth: 'none', form: true, handler: callback },
  { method: 'POST', path: '/logout', auth: 'user', handler: logout },
  { method: 'GET', path: '/admin/users', auth: 'admin', trailingSlash: true, handler: listUsers },
  { method: 'POST', path: '/admin/users', auth: 'admin', body: adminUserBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: postUser },
  { method: 'GET', path: '/admin/users/{user_id}', auth: 'admin', trailingSlash: true, handler: getUserById },
  { method: 'POST', path: '/admin/users/{user_id}', auth: 'admin', body: adminUserBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: postUser },
  { method: 'PUT', path: '/admin/users/{user_id}', auth: 'admin', body: adminUserBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: putUserById },
  { method: 'DELETE', path: '/admin/users/{user_id}', auth: 'admin', body: deleteUserBody, bodyOptional: true, trailingSlash: true, handler: deleteUserById },
  { method: 'GET', path: '/admin/users/{user_id}/factors', auth: 'admin', trailingSlash: true, handler: listFactors },
  { method: 'PUT', path: '/admin/users/{user_id}/factors/{factor_id}', auth: 'admin', trailingSlash: true, handler: refuseFactor },
  { method: 'DELETE', path: '/admin/users/{user_id}/factors/{factor_id}', auth: 'admin', trailingSlash: true, handler: refuseFactor },
  { method: 'POST', path: '/admin/generate_link', auth: 'admin', body: generateLinkBody, maxBodyBytes: METADATA_BODY_BYTES, trailingSlash: true, handler: postGenerateLink },
  { method: 'GET', path: '/admin/audit', auth: 'admin', trailingSlash: true, handler: listAudit },
  { method: 'GET', path: '/settings', auth: 'none', handler: settings },
  { method: 'GET', path: '/.well-known/jwks.json', auth: 'none', handler: jwks },
  { method: 'GET', path: '/openapi.json', auth: 'none', handler: openapi },
  { method: 'GET', path: '/health', auth: 'none', quiet: true, handler: health },
  { method: 'GET', path: '/health/ready', auth: 'none', quiet: true, handler: ready },
];
