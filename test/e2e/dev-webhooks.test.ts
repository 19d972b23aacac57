/** `npm start` posts webhooks to a receiver on the same machine, without a setting. */

import { startDev } from '../support/dev-server.js';
import { call } from '../support/server.js';
import { t } from '../support/tap.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

t.test('a webhook to this machine is added and tried', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { url, adminToken: bearer } = await startDev(t);
  const body = { url: receiver.url, events: ['user.created'] };
  const added = await call(url, 'POST', '/admin/webhooks', { bearer, body });
  t.equal(added.status, 201, JSON.stringify(added.body));
  receiver.secret = added.body.secret;
  const tried = await call(url, 'POST', `/admin/webhooks/${added.body.id}/test`, { bearer });
  t.match(tried, { status: 200, body: { delivered: true } });
  t.match(receiver.received, [{ type: 'webhook.test', isSigned: true }]);
});
