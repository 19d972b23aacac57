import { randomBytes } from 'node:crypto';
import type { ApiRequest, Reply, Route } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { type Document, readDocuments } from './documents.js';
import { renderStartPage, type StartPage } from './page.js';

/**
 * The first page of `latchkey dev` and the documents that it links to. They show nothing secret: the link that signs in
 * to the console is in the terminal alone.
 */
export function startPageRoutes(content: Omit<StartPage, 'documents' | 'nonce'>): Route<App>[] {
  const documents = readDocuments();
  const row = (path: string, answer: (request: ApiRequest) => Reply): Route<App> => ({
    ...{ method: 'GET', path, caller: 'none', quiet: true },
    handler: (_app, request) => answer(request),
  });
  return [
    row('/', () => showStartPage({ ...content, documents })),
    ...documents.map((document) => row(`/dev/docs/${document.name}`, () => showDocument(document))),
  ];
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

function showDocument({ text }: Document): Reply {
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status: 200,
    body: text,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Security-Policy': policy },
  };
}
