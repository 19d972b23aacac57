/** An API with Express. */
import express from 'express';
import { Refusal, readUser, requireLiveSession, requireOrganization, requireSecondFactor } from './latchkey.js';

const { PORT = '4300' } = process.env;
const app = express();

app.use(async (request, _response, next) => {
  request.user = await readUser(request.headers.authorization);
  next();
});

app.get('/me', ({ user }, response) => {
  response.json({ id: user.id, aal: user.aal, organization: user.organization });
});

app.post('/payouts', async ({ user }, response) => {
  requireSecondFactor(user);
  await requireLiveSession(user);
  response.status(201).json({ by: user.id });
});

app.get('/organizations/:id/documents', ({ user, params }, response) => {
  requireOrganization(user, params.id);
  response.json([]);
});

app.post('/organizations/:id/documents', ({ user, params }, response) => {
  requireOrganization(user, params.id, 'documents:write');
  response.status(201).json({ by: user.id });
});

// Four parameters: that is how Express knows it.
app.use((error, _request, response, next) => {
  if (!(error instanceof Refusal)) return next(error);
  response.status(error.status).set(error.headers).json(error.body);
});

app.listen(Number(PORT), 'localhost', () => console.log(`API at http://localhost:${PORT}`));
