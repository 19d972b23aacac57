/** An MCP server whose users sign in at Latchkey. README.md says how to start it. */
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER = 'http://localhost:8081', PORT = '4100', SCOPE = 'email' } = process.env;
/** Tokens for it have this address as audience (RFC 8707). */
const RESOURCE = new URL(`http://localhost:${PORT}/mcp`);
const SCOPES = [SCOPE];

const oauthMetadata = await (await fetch(`${ISSUER}/.well-known/oauth-authorization-server`)).json();
const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));

/** What is wrong with a token. All other errors are about the key set, and no fault of the client: 500. */
const TOKEN_FAULT = /^ERR_(JWT_|JWS_|JWKS_NO_MATCHING_KEY|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED)/;

/** A token of another issuer, for another server, or that has expired, is refused. */
async function verifyAccessToken(token) {
  const options = {
    issuer: oauthMetadata.issuer,
    audience: RESOURCE.href,
    algorithms: ['ES256', 'RS256'],
    requiredClaims: ['exp', 'client_id'],
  };
  const { payload } = await jwtVerify(token, keys, options).catch((error) => {
    throw TOKEN_FAULT.test(error.code) ? new InvalidTokenError(error.message) : error;
  });
  return {
    token,
    clientId: payload.client_id,
    scopes: payload.scope?.split(' ') ?? [],
    expiresAt: payload.exp,
    resource: RESOURCE,
    extra: { user: payload.sub, email: payload.email },
  };
}

function openServer() {
  const server = new McpServer({ name: 'example', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Says who has signed in.' }, ({ authInfo }) => ({
    content: [{ type: 'text', text: `You are ${authInfo.extra.email ?? authInfo.clientId}.` }],
  }));
  return server;
}

const app = createMcpExpressApp();
// Tells clients where to sign in (RFC 9728).
app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: RESOURCE, scopesSupported: SCOPES }));
app.use(
  RESOURCE.pathname,
  requireBearerAuth({
    verifier: { verifyAccessToken },
    requiredScopes: SCOPES,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(RESOURCE),
    expectedResource: RESOURCE,
  }),
);
app.post(RESOURCE.pathname, async (request, response) => {
  // Without sessions: every request stands alone.
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => transport.close());
  await openServer().connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all(RESOURCE.pathname, (_request, response) => response.status(405).end());
app.listen(Number(PORT), 'localhost', () => console.log(`MCP server at ${RESOURCE.href}`));
