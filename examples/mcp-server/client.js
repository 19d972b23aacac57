/** A client of the MCP server: registers itself, has its user sign in, and calls a tool. README.md says how to start it. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { SERVER = 'http://localhost:4100/mcp' } = process.env;

/** Where the browser comes back, on any free port (RFC 8252 7.3). */
const callback = createServer();
await new Promise((resolve) => callback.listen(0, 'localhost', resolve));
const redirectUrl = `http://localhost:${callback.address().port}/callback`;
const state = randomUUID();

/** What the SDK wants to keep. A real client keeps it on disk, so that its user signs in once. */
const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'Example agent',
    redirect_uris: [redirectUrl],
    token_endpoint_auth_method: 'none',
  },
  state: () => state,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void Object.assign(kept, { client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void Object.assign(kept, { tokens }),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
  redirectToAuthorization: (url) => console.log(`Open ${url.href}`),
};

/** @returns the code with which the browser comes back */
const waitForCode = () =>
  new Promise((resolve, reject) => {
    callback.on('request', (request, response) => {
      const { pathname, searchParams: answer } = new URL(request.url, redirectUrl);
      if (pathname !== '/callback' || answer.get('state') !== state) return response.writeHead(404).end();
      response.end('You may close this window.');
      if (answer.has('code')) resolve(answer.get('code'));
      else reject(new Error(answer.get('error_description') ?? 'no code'));
    });
  });

const client = new Client({ name: 'example-agent', version: '1.0.0' });
const connect = () => client.connect(new StreamableHTTPClientTransport(new URL(SERVER), { authProvider }));

const code = waitForCode();
try {
  await connect();
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  await new StreamableHTTPClientTransport(new URL(SERVER), { authProvider }).finishAuth(await code);
  await connect();
}
const { content } = await client.callTool({ name: 'whoami' });
console.log(content[0].text);
await client.close();
callback.closeAllConnections();
callback.close();
