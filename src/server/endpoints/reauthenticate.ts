import { sendNonce } from '../codes/reauthenticate.js';
import { json } from '../http/types.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

export const getReauthenticate = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/reauthenticate',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'not asked',
  id: 'sendNonce',
  tag: 'Account',
  summary: 'Sends the nonce that a change of password may need.',
  answers: ok('MessageId', 'Sent.'),
  errors: [
    'tooSoonForEmail',
    'overEmailQuota',
    'smsSendFailed',
    'reauthenticationContact',
    'reauthenticationEmail',
    'reauthenticationPhone',
  ],
  handler: async (app, request) => json(await sendNonce(app, clientOf(request), request.caller)),
});
