/** Sessions of an OAuth client, opened over HTTP by the code flow. */
import { createHash, randomBytes } from 'node:crypto';
import type { Account } from './requests.js';

const REDIRECT_URI = 'https://client.example.com/callback';

/** The settings that an authorization server needs. Its page is never opened. */
export const oauthSettings = { OAUTH_SERVER_ENABLED: 'true', OAUTH_SERVER_AUTHORIZATION_PATH: '/oauth/consent' };

/** @returns the id of a new public client. @throws on an answer that is not 2xx */
export async function addClient(url: string, operatorToken: string): Promise<string> {
  const { client_id } = await ask(url, 'POST', '/admin/oauth/clients', operatorToken, {
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  });
  return client_id!;
}

/**
 * Opens a session of the client for each account.
 * @param accounts with access tokens that are still valid
 * @throws on an answer that is not 2xx, or leads nowhere
 */
export async function openClientSessions(
  url: string,
  clientId: string,
  accounts: readonly Account[],
): Promise<Account[]> {
  const opened: Account[] = [];
  for (const account of accounts) opened.push(await openClientSession(url, clientId, account));
  return opened;
}

async function openClientSession(url: string, clientId: string, account: Account): Promise<Account> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const asked = await fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual' });
  const id = new URL(asked.headers.get('location') ?? url).searchParams.get('authorization_id');
  const path = `/oauth/authorizations/${id}`;
  // A consent of an earlier round is remembered.
  const details = await ask(url, 'GET', path, account.accessToken);
  const { redirect_url } = details['redirect_url']
    ? details
    : await ask(url, 'POST', `${path}/consent`, account.accessToken, { action: 'approve' });
  const { access_token, refresh_token } = await ask(url, 'POST', '/oauth/token', undefined, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: new URL(redirect_url!).searchParams.get('code'),
    code_verifier: verifier,
  });
  return { ...account, accessToken: access_token!, refreshToken: refresh_token!, clientId };
}

async function ask(
  url: string,
  method: string,
  path: string,
  token: string | undefined,
  body?: object,
): Promise<Record<string, string>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
