/** The consent page, and the redirect back to the client (RFC 6749 4.1.1, 4.1.2). */
import { randomUUID } from 'node:crypto';
import type { Call, Reply, Shared } from './contract.js';
import { credentialsOf } from './credentials.js';

export interface AuthorizeRules {
  /** It supports PKCE (RFC 7636 4.3); others ignore its parameters (RFC 6749 3.1). */
  readonly usesPkce: boolean;
  /** It refuses a request without a challenge. */
  readonly needsPkce?: true;
  /** Names and addresses are only given by a form (apple). */
  readonly isFormPost?: true;
  readonly denial?: { readonly error: string; readonly error_description?: string };
  /** Fields besides code and state. */
  more?(call: Call, shared: Shared): Readonly<Record<string, string>>;
}

const defaultDenial = { error: 'access_denied', error_description: 'The user denied the request' };

export function authorize(call: Call, shared: Shared, rules: AuthorizeRules): Reply {
  const { query } = call;
  const redirectUri = query.get('redirect_uri') ?? '';
  const state = query.get('state');
  // No redirect to a URI that is not registered (RFC 6749 4.1.2.1).
  if (call.method !== 'GET') return page(405, '<p>Method not allowed</p>');
  if (query.get('client_id') !== credentialsOf(call.provider).id) return page(400, '<p>Unknown client_id</p>');
  if (!shared.redirectUris.has(redirectUri)) return page(400, '<p>This redirect_uri is not registered</p>');

  const mode = rules.isFormPost === true ? 'form' : 'query';
  const back = (answer: Readonly<Record<string, string>>) =>
    sendBack(redirectUri, { ...answer, ...(state !== null && { state }) }, mode);
  if (query.get('response_type') !== 'code') return back({ error: 'unsupported_response_type' });
  if (rules.isFormPost === true && query.get('response_mode') !== 'form_post') {
    return page(400, '<p>response_mode must be form_post when name or email scope is requested</p>');
  }
  const challenge = rules.usesPkce ? query.get('code_challenge') : null;
  if (challenge !== null && !(query.get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(challenge))) {
    return back({ error: 'invalid_request', error_description: 'The code_challenge is not one of S256' });
  }

  if (challenge === null && rules.needsPkce === true) {
    return back({ error: 'invalid_request', error_description: 'A code_challenge is missing' });
  }

  const decision = shared.decisionAt(call);
  if (decision === null) return page(200, askForm(call));
  if (decision !== 'allow') {
    const { error, error_description: description = '' } = rules.denial ?? defaultDenial;
    return back({
      error: query.get('fake_error') ?? error,
      error_description: query.get('fake_error_description') ?? description,
    });
  }
  const code = `code-${randomUUID()}`;
  const more = rules.more?.(call, shared) ?? {};
  shared.codes.set(code, {
    provider: call.provider,
    person: shared.personAt(call),
    clientId: query.get('client_id') ?? '',
    redirectUri,
    challenge,
    nonce: query.get('nonce'),
  });
  return back({ code, ...more });
}

export function page(status: number, body: string): Reply {
  const html = `<!doctype html><html lang="en"><head><title>Fake provider</title></head><body>${body}</body></html>`;
  return { status, type: 'text/html; charset=utf-8', body: html };
}

/** Two buttons; either repeats the request with the decision added. */
export function askForm(call: Call): string {
  const hidden = [...call.query].map(([name, value]) => hiddenField(name, value)).join('');
  const button = (decision: string, label: string) =>
    `<button type="submit" name="fake_decision" value="${decision}">${label}</button>`;
  return `<h1>Sign in with ${call.provider}?</h1><form method="get">${hidden}${button('allow', 'Allow')}${button('deny', 'Deny')}</form>`;
}

/** OAuth 2.0 Form Post Response Mode, and the plain redirect. */
export function sendBack(redirectUri: string, fields: Readonly<Record<string, string>>, mode: 'query' | 'form'): Reply {
  if (mode === 'form') {
    const hidden = Object.entries(fields).map(([name, value]) => hiddenField(name, value));
    const form = `<form method="post" action="${escapeHtml(redirectUri)}">${hidden.join('')}<noscript><button>Go on</button></noscript></form>`;
    return page(200, `${form}<script>document.forms[0].submit()</script>`);
  }
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return { status: 302, type: 'text/plain', headers: { Location: url.href }, body: '' };
}

const hiddenField = (name: string, value: string): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Reads {@link sendBack}'s form again, for tests without a browser. */
export function readPostedForm(html: string): { action: string; fields: Record<string, string> } | null {
  const decode = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  const action = /<form method="post" action="([^"]*)">/.exec(html)?.[1];
  if (action === undefined) return null;
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return {
    action: decode(action),
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [decode(name), decode(value)])),
  };
}
