/**
 * The table of routes: every URL this server answers, one line each. What a route needs from its caller stands here and
 * nowhere else (SEC-59).
 */
import type { App } from '../app.js';
import type { Route } from '../http/types.js';
import { health, ready } from './health.js';
import { jwks } from './jwks.js';
import { logout } from './logout.js';
import { settings } from './settings.js';
import { signup, signupBody } from './signup.js';
import { token, tokenBody } from './token.js';
import { getUser, putUser, putUserBody } from './user.js';

export const routes: readonly Route<App>[] = [
  { method: 'POST', path: '/signup', auth: 'none', body: signupBody, trailingSlash: true, handler: signup },
  { method: 'POST', path: '/token', auth: 'none', body: tokenBody, handler: token },
  { method: 'GET', path: '/user', auth: 'user', trailingSlash: true, handler: getUser },
  {
    method: 'PUT',
    path: '/user',
    auth: 'user',
    limit: 'user',
    body: putUserBody,
    trailingSlash: true,
    handler: putUser,
  },
  { method: 'POST', path: '/logout', auth: 'user', handler: logout },
  { method: 'GET', path: '/settings', auth: 'none', handler: settings },
  { method: 'GET', path: '/.well-known/jwks.json', auth: 'none', handler: jwks },
  { method: 'GET', path: '/health', auth: 'none', quiet: true, handler: health },
  { method: 'GET', path: '/health/ready', auth: 'none', quiet: true, handler: ready },
];
