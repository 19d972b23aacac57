/** What the HTTP module needs of the parts of one configuration. */
import { nonceHeaders } from '../dpop/bound-token.js';
import { openCaptcha } from '../guards/captcha/index.js';
import { clientKeyOf, keySourceOf } from '../guards/client-key.js';
import type { EdgeRules } from '../http/options.js';
import { authenticateScim } from '../scim/scim-caller.js';
import { authenticateAdmin } from '../sessions/administrator.js';
import { authenticateUser } from '../sessions/caller.js';
import type { App } from './app.js';

/** Who may call, what is counted, and which headers are read. */
export function edgeRules(app: App): EdgeRules<App> {
  const { config, log } = app;
  const isAdmin = (token: string): Promise<boolean> =>
    authenticateAdmin(app, token).then(
      () => true,
      () => false,
    );
  const keySource = keySourceOf(config);
  const captcha = config.securityCaptchaEnabled ? openCaptcha({ config, isAdmin, log }) : null;
  return {
    context: app,
    authenticate(auth, token, request, admits): Promise<unknown> {
      if (auth === 'scim') return authenticateScim(app, token);
      return auth === 'admin' ? authenticateAdmin(app, token) : authenticateUser(app, token, request, admits);
    },
    ...(config.oauthServerEnabled && config.oauthServerDpopNonceRequired
      ? { answerHeaders: (request, route) => nonceHeaders(app, request, route) }
      : {}),
    ...(captcha === null ? {} : { checkCaptcha: (request) => captcha.verify(request) }),
    ...(config.rateLimitHeader === ''
      ? {}
      : { checkLimit: (limit, request) => app.limits.takeForClient(limit, request) }),
    clientKey: (request) => clientKeyOf(request, keySource),
    readsSbForwardedFor: config.securitySbForwardedForEnabled,
    maxRequestSeconds: config.apiMaxRequestSeconds,
    corsAllowedHeaders: config.corsAllowedHeaders,
    requestIdHeader: config.requestIdHeader ? config.requestIdHeader.toLowerCase() : null,
  };
}
