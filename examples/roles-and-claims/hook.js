/** Answers the hook custom_access_token: adds the roles of a user to each access token. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { HOOK_SECRET = '', PORT = '4400', ROLES_FILE = 'roles.json' } = process.env;
/** Knows the calls that Latchkey has signed. */
const webhook = new Webhook(HOOK_SECRET.replace(/^v1,whsec_/, ''));

/** Roles by the ids of users. Ask your database here. */
const rolesOf = async (userId) => JSON.parse(await readFile(ROLES_FILE, 'utf8'))[userId] ?? [];

async function answer(request) {
  let event;
  try {
    event = webhook.verify(await text(request), request.headers);
  } catch {
    return { status: 401 };
  }
  // All claims go back: those that are missing would be missing in the token.
  return { status: 200, body: { claims: { ...event.claims, roles: await rolesOf(event.user_id) } } };
}

async function respond(request, response) {
  const { status, body = {} } = await answer(request).catch((error) => {
    console.error(error.message);
    return { status: 500 };
  });
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

createServer((request, response) => void respond(request, response)).listen(Number(PORT), 'localhost', () =>
  console.log(`Hook at http://localhost:${PORT}`),
);
