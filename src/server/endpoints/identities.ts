import { apiError } from '../errors.js';
import { removeIdentity } from '../external/unlink.js';
import { json } from '../http/types.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { linkingErrors, ok } from './shared/docs.js';

export const deleteUserIdentity = defineEndpoint({
  method: 'DELETE',
  path: '/user/identities/{identity_id}',
  caller: 'user',
  secondFactor: 'asked',
  id: 'unlinkIdentity',
  tag: 'Providers',
  summary: 'Removes an identity from the account.',
  answers: ok('Empty', 'Removed.'),
  errors: [...linkingErrors, 'identityIdNotUuid', 'identityNotFound', 'lastIdentity', 'identityEmailConflict'],
  async handler(app, request) {
    if (!app.config.securityManualLinkingEnabled) throw apiError('manualLinkingDisabled');
    await removeIdentity(app, clientOf(request), request.caller, request.params.identity_id);
    return json({});
  },
});
