/**
 * The table of routes: every URL this server answers, one line each. What a route needs from its caller stands here and
 * nowhere else (SEC-59).
 */
import type { App } from '../app.js';
import type { Route } from '../http/types.js';
import { authorize, authorizeLinking } from './authorize.js';
import { callback } from './callback.js';
import { health, ready } from './health.js';
import { deleteIdentity } from './identities.js';
import { inviteBody, inviteUser } from './invite.js';
import { jwks } from './jwks.js';
import { logout } from './logout.js';
import { magiclink, otp, otpBody } from './otp.js';
import { reauthenticate } from './reauthenticate.js';
import { recover, recoverBody } from './recover.js';
import { resendBody, resendCode } from './resend.js';
import { settings } from './settings.js';
import { signup, signupBody } from './signup.js';
import { token, tokenBody, tokenCaptcha } from './token.js';
import { getUser, putUser, putUserBody } from './user.js';
import { verify, verifyBody } from './verify.js';
import { confirmLink, followLink } from './verify-link.js';

// biome-ignore format: one line a route
export const routes: readonly Route<App>[] = [
  { method: 'POST', path: '/signup', auth: 'none', captcha: true, body: signupBody, trailingSlash: true, handler: signup },
  { method: 'POST', path: '/token', auth: 'none', captcha: tokenCaptcha, body: tokenBody, handler: token },
  { method: 'POST', path: '/otp', auth: 'none', limit: 'otp', captcha: true, body: otpBody, handler: otp },
  { method: 'POST', path: '/magiclink', auth: 'none', limit: 'magiclink', captcha: true, body: otpBody, badBody: 'badVerificationParams', handler: magiclink },
  { method: 'POST', path: '/recover', auth: 'none', limit: 'recover', captcha: true, body: recoverBody, handler: recover },
  { method: 'POST', path: '/resend', auth: 'none', limit: 'resend', captcha: true, body: resendBody, handler: resendCode },
  { method: 'POST', path: '/verify', auth: 'none', limit: 'verify', body: verifyBody, trailingSlash: true, handler: verify },
  { method: 'GET', path: '/verify', auth: 'none', limit: 'verify', trailingSlash: true, handler: followLink },
  { method: 'POST', path: '/verify/confirm', auth: 'none', limit: 'verify', handler: confirmLink },
  { method: 'POST', path: '/invite', auth: 'admin', body: inviteBody, handler: inviteUser },
  { method: 'GET', path: '/reauthenticate', auth: 'user', trailingSlash: true, handler: reauthenticate },
  { method: 'GET', path: '/user', auth: 'user', trailingSlash: true, handler: getUser },
  { method: 'PUT', path: '/user', auth: 'user', limit: 'user', body: putUserBody, trailingSlash: true, handler: putUser },
  { method: 'GET', path: '/user/identities/authorize', auth: 'user', handler: authorizeLinking },
  { method: 'DELETE', path: '/user/identities/{identity_id}', auth: 'user', handler: deleteIdentity },
  { method: 'GET', path: '/authorize', auth: 'none', handler: authorize },
  { method: 'GET', path: '/callback', auth: 'none', handler: callback },
  { method: 'POST', path: '/callback', auth: 'none', handler: callback },
  { method: 'POST', path: '/logout', auth: 'user', handler: logout },
  { method: 'GET', path: '/settings', auth: 'none', handler: settings },
  { method: 'GET', path: '/.well-known/jwks.json', auth: 'none', handler: jwks },
  { method: 'GET', path: '/health', auth: 'none', quiet: true, handler: health },
  { method: 'GET', path: '/health/ready', auth: 'none', quiet: true, handler: ready },
];
