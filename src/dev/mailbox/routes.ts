import { randomBytes } from 'node:crypto';
import type { ApiRequest, Reply, Route } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { isLocalRequest } from '../local-request.js';
import type { Mailbox } from './mailbox.js';
import { renderPage } from './page.js';

const HTML = 'text/html; charset=utf-8';

/**
 * The endpoints of the mailbox, which exist under `latchkey dev` only.
 * @param ownUrl the URL of the server; its host name counts as local
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
    caller: 'none',
    quiet: true,
    handler: (_app, request) => (isLocalRequest(request, ownName, isPage) ? answer(request) : FORBIDDEN),
  });
  return [
    row('GET', '/dev/mailbox', (request) => showPage(mailbox, ownUrl, request), true),
    row('GET', '/dev/mailbox/messages.json', (request) => listMessages(mailbox, request)),
    row('GET', '/dev/mailbox/{message_id}/body.html', (request) => showBody(mailbox, request)),
    row('DELETE', '/dev/mailbox', () => {
      mailbox.clear();
      return { status: 204 };
    }),
  ];
}

const FORBIDDEN: Reply = {
  status: 403,
  body: { code: 403, error_code: 'no_authorization', msg: 'The mailbox answers its own page and scripts only' },
};

function showPage(mailbox: Mailbox, ownUrl: string, request: ApiRequest): Reply {
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
    baseUrl: /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : ownUrl,
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

/** The HTML of a mail, for a frame: without scripts, with links that open outside of it. */
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
