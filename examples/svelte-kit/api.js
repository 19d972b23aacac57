/** An API of its own, which knows nothing of cookies: it checks the access token of each request. */
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { LATCHKEY_URL = 'http://localhost:8081', API_PORT = '4001' } = process.env;
const keySet = `${LATCHKEY_URL}/.well-known/jwks.json`;
const keys = createRemoteJWKSet(new URL(keySet));

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

/** @returns why no token can be checked, or undefined */
async function findFault() {
  const response = await fetch(keySet).catch(() => undefined);
  const found = await response?.json().catch(() => undefined);
  if (found?.keys === undefined) return `No key set at ${keySet}. Start Latchkey, or set LATCHKEY_URL to its address.`;
  if (found.keys.length > 0) return undefined;
  return `${keySet} has no key. Start Latchkey with AUTH_JWT_KEYS="[$(latchkey keys generate --alg ES256 --kid key-1)]".`;
}

const fault = await findFault();
if (fault !== undefined) console.log(`${fault} Until then the answer to every token is 401.`);

const server = createServer((request, response) => void respond(request, response));
server.listen(Number(API_PORT), 'localhost', () => console.log(`API at http://localhost:${API_PORT}`));
