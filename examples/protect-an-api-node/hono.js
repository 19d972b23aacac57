/** An API with Hono, on Node. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Refusal, readUser, requireLiveSession, requireOrganization, requireSecondFactor } from './latchkey.js';

const { PORT = '4300' } = process.env;
const app = new Hono();

app.use(async (context, next) => {
  context.set('user', await readUser(context.req.header('Authorization')));
  await next();
});

app.get('/me', (context) => {
  const { id, aal, organization } = context.get('user');
  return context.json({ id, aal, organization });
});

app.post('/payouts', async (context) => {
  const user = context.get('user');
  requireSecondFactor(user);
  await requireLiveSession(user);
  return context.json({ by: user.id }, 201);
});

app.get('/organizations/:id/documents', (context) => {
  requireOrganization(context.get('user'), context.req.param('id'));
  return context.json([]);
});

app.post('/organizations/:id/documents', (context) => {
  const user = context.get('user');
  requireOrganization(user, context.req.param('id'), 'documents:write');
  return context.json({ by: user.id }, 201);
});

app.onError((error, context) => {
  if (!(error instanceof Refusal)) throw error;
  return context.json(error.body, error.status, error.headers);
});

serve({ fetch: app.fetch, port: Number(PORT), hostname: 'localhost' }, () => {
  console.log(`API at http://localhost:${PORT}`);
});
