/** The client of the official MCP SDK, and an MCP server that checks our tokens: that of examples/mcp-server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { claimsOf } from '../support/authenticator-app.js';
import { openClientHost } from '../support/client-host.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { decideOnPages, openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import { postForm } from '../support/oauth-client.js';
import type { PageBrowser } from '../support/page-browser.js';
import { freshEmail } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull(
  'three programs with the MCP SDK, 6 s of processor time; what they rest on: client-documents, openid-client',
);

const REDIRECT_URI = 'http://localhost:4567/callback';
const JWT_SECONDS = 3;

const host = await openClientHost(t);
const server = await openHostedServer(t, { JWT_EXP: String(JWT_SECONDS) }, host.internet);

/** @returns the address of a running MCP server of the issuer */
async function startMcpServer(t: Test, issuer = server.issuer): Promise<URL> {
  const port = String(await freePort());
  const example = startExample(t, 'node examples/mcp-server/server.js', { ISSUER: issuer, PORT: port });
  return new URL(await example.line(/MCP server at (\S+)/));
}

interface Kept {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  verifier?: string;
}

/** An agent with its memory. The browser stands at the first page of the authorization. */
function openAgent(address: URL, browser: PageBrowser, more: Partial<OAuthClientProvider> = {}) {
  const kept: Kept = {};
  const authProvider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: {
      client_name: 'Agent',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'state of the agent',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier!,
    redirectToAuthorization: async (url) => void (await browser.open(url.href)),
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'client') delete kept.client;
      if (scope === 'all' || scope === 'tokens') delete kept.tokens;
    },
    ...more,
  };
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const open = () => new StreamableHTTPClientTransport(address, { authProvider });
  return {
    kept,
    client,
    // Its types say `sessionId?: string` and mean `string | undefined`.
    connect: () => client.connect(open() as Parameters<Client['connect']>[0]),
    finish: (code: string) => open().finishAuth(code),
    async whoAmI() {
      const { content } = await client.callTool({ name: 'whoami' });
      return (content as { text: string }[])[0]!.text;
    },
  };
}

t.test('discovers, registers itself, signs in, calls a tool, and refreshes', async (t) => {
  const address = await startMcpServer(t);
  const [browser, email] = [server.openBrowser(), freshEmail()];
  const agent = openAgent(address, browser);
  await t.rejects(agent.connect(), { message: 'Unauthorized' });
  await signUpOnPages(browser, email);
  t.match(browser.html, 'registered itself');
  const back = await decideOnPages(browser);
  t.equal(back.searchParams.get('state'), 'state of the agent');
  await agent.finish(back.searchParams.get('code')!);
  await agent.connect();
  t.equal(await agent.whoAmI(), `You are ${email}.`);
  const first = agent.kept.tokens!;
  t.match(claimsOf(first.access_token), { aud: address.href, iss: server.issuer, scope: 'email' });

  await pause((JWT_SECONDS + 1) * 1000);
  t.equal(await agent.whoAmI(), `You are ${email}.`, 'after its access token has expired');
  t.not(agent.kept.tokens!.access_token, first.access_token);
  t.not(agent.kept.tokens!.refresh_token, first.refresh_token);

  // The person takes it back: the agent is sent to the pages again.
  const { body: own } = await server.post('/token?grant_type=password', { email, password: 'correct horse battery' });
  const { client_id } = agent.kept.client!;
  const revoked = await server.call('DELETE', `/user/oauth/grants?client_id=${client_id}`, {
    bearer: own.access_token,
  });
  t.equal(revoked.status, 204);
  await pause((JWT_SECONDS + 1) * 1000);
  await t.rejects(agent.whoAmI(), { message: 'Unauthorized' });
  t.equal(new URL(browser.url).pathname, '/ui/sign-in');
  await agent.client.close();
});

t.test('a client metadata document in place of a registration', async (t) => {
  const address = await startMcpServer(t);
  const clientMetadataUrl = host.publishClient('/agent.json', { redirect_uris: [REDIRECT_URI] });
  const [browser, email] = [server.openBrowser(), freshEmail()];
  const agent = openAgent(address, browser, { clientMetadataUrl });
  await t.rejects(agent.connect(), { message: 'Unauthorized' });
  t.equal(agent.kept.client!.client_id, clientMetadataUrl, 'nothing was registered');
  await signUpOnPages(browser, email);
  t.match(browser.html, new URL(clientMetadataUrl).host, 'who says so');
  await agent.finish((await decideOnPages(browser)).searchParams.get('code')!);
  await agent.connect();
  t.equal(await agent.whoAmI(), `You are ${email}.`);
  t.match(claimsOf(agent.kept.tokens!.access_token), { client_id: clientMetadataUrl, aud: address.href });
  await pause((JWT_SECONDS + 1) * 1000);
  t.equal(await agent.whoAmI(), `You are ${email}.`, 'refreshed');
  await agent.client.close();
});

t.test('a token is for one server, and one issuer', async (t) => {
  const [address, other] = await Promise.all([startMcpServer(t), startMcpServer(t)]);
  const stranger = await openHostedServer(t);
  const elsewhere = await startMcpServer(t, stranger.issuer);
  const browser = server.openBrowser();
  const agent = openAgent(address, browser);
  await t.rejects(agent.connect(), { message: 'Unauthorized' });
  await signUpOnPages(browser, freshEmail());
  await agent.finish((await decideOnPages(browser)).searchParams.get('code')!);
  const token = agent.kept.tokens!.access_token;
  const ask = (url: URL, bearer: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  t.equal((await ask(address, token)).status, 200);
  for (const [url, what] of [
    [other, 'of another server'],
    [elsewhere, 'of another issuer'],
  ] as const) {
    const answer = await ask(url, token);
    t.equal(answer.status, 401, what);
    t.match(answer.headers.get('www-authenticate'), 'resource_metadata=');
  }
  // A refresh cannot change what the token is for.
  const answer = await postForm(server, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: agent.kept.client!.client_id,
    refresh_token: agent.kept.tokens!.refresh_token!,
    resource: other.href,
  });
  t.match(answer, { status: 400, body: { error: 'invalid_target' } });
  const own = await server.post('/signup', { email: freshEmail(), password: 'correct horse battery' });
  t.equal((await ask(address, own.body.access_token)).status, 401, 'the session of a person is no token of an agent');
});
