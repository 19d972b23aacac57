import { randomBytes } from 'node:crypto';
import type { Reply, Route } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { renderStartPage, type StartPage } from './page.js';

/** The first page of `latchkey dev`. It shows nothing secret: the link that signs in to the console is in the terminal alone. */
export function startPageRoute(content: Omit<StartPage, 'nonce'>): Route<App> {
  return { method: 'GET', path: '/', caller: 'none', quiet: true, handler: () => showStartPage(content) };
}

function showStartPage(content: Omit<StartPage, 'nonce'>): Reply {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = {
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    ...{ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' },
  };
  return { status: 200, body: renderStartPage({ ...content, nonce }), headers };
}
