import { apiError } from '../errors.js';
import { defineEndpoint } from './shared/define.js';

/** There is no SAML here. Clients ask for this refusal to tell a server without it from a wrong address. */
export const postSso = defineEndpoint({
  method: 'POST',
  path: '/sso',
  caller: 'none',
  id: 'signInWithSso',
  tag: 'Sign-in',
  summary: 'Refuses sign-in by SAML, which is not offered.',
  answers: {},
  errors: ['samlDisabled'],
  handler() {
    throw apiError('samlDisabled');
  },
});
