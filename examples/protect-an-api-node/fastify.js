/** An API with Fastify. */
import Fastify from 'fastify';
import { Refusal, readUser, requireLiveSession, requireOrganization, requireSecondFactor } from './latchkey.js';

const { PORT = '4300' } = process.env;
const app = Fastify();

app.decorateRequest('user', null);
app.addHook('onRequest', async (request) => {
  request.user = await readUser(request.headers.authorization);
});

app.get('/me', async ({ user }) => ({ id: user.id, aal: user.aal, organization: user.organization }));

app.post('/payouts', async ({ user }, reply) => {
  requireSecondFactor(user);
  await requireLiveSession(user);
  return reply.code(201).send({ by: user.id });
});

app.get('/organizations/:id/documents', async ({ user, params }) => {
  requireOrganization(user, params.id);
  return [];
});

app.post('/organizations/:id/documents', async ({ user, params }, reply) => {
  requireOrganization(user, params.id, 'documents:write');
  return reply.code(201).send({ by: user.id });
});

app.setErrorHandler((error, _request, reply) => {
  if (!(error instanceof Refusal)) throw error;
  return reply.code(error.status).headers(error.headers).send(error.body);
});

await app.listen({ port: Number(PORT), host: 'localhost' });
console.log(`API at http://localhost:${PORT}`);
