/** An agent without a user, which has a token of its own, calls a tool. README.md says how to start it. */
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const {
  CLIENT_ID = '',
  CLIENT_SECRET = '',
  ISSUER = 'http://localhost:8081',
  SCOPE = 'tools.use',
  SERVER = 'http://localhost:4100/mcp',
} = process.env;

/** The secret goes to this issuer only, whatever the MCP server says. */
const authProvider = new ClientCredentialsProvider({
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scope: SCOPE,
  expectedIssuer: ISSUER,
});

const client = new Client({ name: 'example-agent', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(SERVER), { authProvider }));
const { content } = await client.callTool({ name: 'whoami' });
console.log(content[0].text);
await client.close();
