/** An API of its own, which knows nothing of cookies: it checks the access token of each request. */
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { LATCHKEY_URL = 'http://localhost:8081', API_PORT = '4001' } = process.env;
const keys = createRemoteJWKSet(new URL(`${LATCHKEY_URL}/.well-known/jwks.json`));

async function answer(request) {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  try {
    const { payload } = await jwtVerify(token, keys, { audience: 'authenticated' });
    return { status: 200, body: [{ id: 1, title: `First order of ${payload.sub}` }] };
  } catch {
    return { status: 401, body: { message: 'A valid access token is missing' } };
  }
}

async function respond(request, response) {
  const { status, body } = await answer(request);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => void respond(request, response));
server.listen(Number(API_PORT), 'localhost', () => console.log(`API at http://localhost:${API_PORT}`));
