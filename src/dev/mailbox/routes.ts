import { randomBytes } from 'node:crypto';
import type { App } from '../../server/app.js';
import type { ApiRequest, Reply, Route } from '../../server/http/types.js';
import type { Mailbox } from './mailbox.js';
import { renderPage } from './page.js';

const HTML = 'text/html; charset=utf-8';

/**
 * The mailbox as routes, to be appended to the table under `latchkey dev` and nowhere else.
 * @param ownUrl where the server is reached, whose name counts as this machine's
 */
export function mailboxRoutes(mailbox: Mailbox, ownUrl: string): Route<App>[] {
  const ownName = new URL(ownUrl).hostname;
  const row = (
    method: Route<App>['method'],
    path: string,
    answer: (request: ApiRequest) => Reply,
    isPage = false,
  ): Route<App> => ({
    method,
    path,
    auth: 'none',
    quiet: true,
    handler: (_app, request) => (comesFromHere(request, ownName, isPage) ? answer(request) : NOT_YOURS),
  });
  return [
    row('GET', '/dev/mailbox', (request) => showPage(mailbox, request), true),
    row('GET', '/dev/mailbox/messages.json', (request) => listMessages(mailbox, request)),
    row('GET', '/dev/mailbox/{message_id}/body.html', (request) => showBody(mailbox, request)),
    row('DELETE', '/dev/mailbox', () => {
      mailbox.clear();
      return { status: 204 };
    }),
  ];
}

const NOT_YOURS: Reply = {
  status: 403,
  body: { code: 403, error_code: 'no_authorization', msg: 'The mailbox answers its own page and scripts only' },
};

const LOCAL_NAME = /^(localhost|.+\.localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])$/i;

/**
 * Codes must not be open to every web page the developer happens to visit: answers here carry the wildcard CORS header
 * like all others. Under a foreign name that leads to this machine (DNS rebinding) a page counts as its own origin, and
 * over plain HTTP its browser says nothing more: so the name must always be an address, a local name or the server's own.
 * Beyond that a browser says who asks (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/); curl says nothing and may.
 */
function comesFromHere(request: ApiRequest, ownName: string, isPage: boolean): boolean {
  const host = request.header('host') ?? '';
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (name !== ownName && !LOCAL_NAME.test(name)) return false;
  const site = request.header('sec-fetch-site');
  const origin = request.header('origin');
  if (site === undefined) return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  if (site === 'same-origin' || site === 'none') return true;
  return isPage && request.header('sec-fetch-mode') === 'navigate';
}

function showPage(mailbox: Mailbox, request: ApiRequest): Reply {
  const nonce = randomBytes(16).toString('base64');
  const messages = mailbox.list();
  const id = request.query.get('open');
  const chosen = id === undefined ? undefined : mailbox.find(id);
  const host = request.header('host') ?? '';
  const page = renderPage({
    messages,
    opened: chosen ?? messages[0] ?? null,
    isChosen: chosen !== undefined,
    revision: mailbox.revision,
    baseUrl: `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost:8081'}`,
    nonce,
  });
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = { 'Content-Type': HTML, 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' };
  return { status: 200, body: page, headers };
}

function listMessages(mailbox: Mailbox, request: ApiRequest): Reply {
  const tag = `"${mailbox.revision}"`;
  if (request.header('if-none-match') === tag) return { status: 304, headers: { ETag: tag } };
  return { status: 200, body: { messages: mailbox.list(request.query.get('to')) }, headers: { ETag: tag } };
}

/** A mail as it came, in a frame: no scripts, and links open outside of it. */
function showBody(mailbox: Mailbox, request: ApiRequest): Reply {
  const message = mailbox.find(request.params['message_id']!);
  if (message?.html == null) return { status: 404, body: 'No such mail', headers: { 'Content-Type': 'text/plain' } };
  const policy = [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline' https:",
    'img-src https: data:',
    'font-src https: data:',
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return {
    status: 200,
    body: `<!doctype html><meta charset="utf-8"><base target="_blank">${message.html}`,
    headers: { 'Content-Type': HTML, 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
  };
}
