import type { RefusalName } from '../errors.js';
import type { OperationDoc, QueryParameter } from './contract.js';
import { ok, pkce, query, redirect, redirectTo } from './parts.js';

const linking: readonly RefusalName[] = ['manualLinkingDisabled', 'anonymousNotAllowed'];
const providerQuery: readonly QueryParameter[] = [
  { ...query('provider', 'Name of a provider.'), isRequired: true },
  query('scopes', 'More scopes to ask the provider for.'),
  redirectTo,
  query('code_challenge', 'PKCE (RFC 7636): the callback then brings a code.'),
  query('code_challenge_method', 'plain or s256.'),
];
const callbackQuery: readonly QueryParameter[] = [
  query('state', 'What /authorize sent along.'),
  query('code', "The provider's code."),
  query('error', "The provider's refusal."),
  query('error_description', 'The same in words.'),
];
const callbackAnswers = {
  302: redirect(
    'Back to the application: tokens in the fragment, a code (PKCE), or error, error_code and error_description.',
  ),
  303: redirect('The state was not good: to SITE_URL, with the error.'),
};

export const providerOperations: Readonly<Record<string, OperationDoc>> = {
  'GET /user/identities/authorize': {
    id: 'linkIdentity',
    tag: 'Providers',
    summary: 'Sends the browser to a provider, to add an identity to the account.',
    query: [
      ...providerQuery,
      query('skip_http_redirect', 'true: the address comes as JSON.', { enum: ['true', 'false'] }),
    ],
    answers: {
      ...ok('Url', 'Where to send the browser.'),
      302: redirect('To the provider, or back to the application with an error while the provider is down.'),
    },
    refusals: [...linking, 'sessionNotFound', 'linkNeedsPkce', 'unsupportedProvider', 'providerUnavailable', ...pkce],
  },
  'DELETE /user/identities/{identity_id}': {
    id: 'unlinkIdentity',
    tag: 'Providers',
    summary: 'Takes an identity from the account.',
    answers: ok('Empty', 'It is gone.'),
    refusals: [...linking, 'identityIdNotUuid', 'identityNotFound', 'lastIdentity', 'identityEmailConflict'],
  },
  'GET /authorize': {
    id: 'authorize',
    tag: 'Providers',
    summary: 'Sends the browser to a provider.',
    query: [...providerQuery, query('invite_token', 'Of an invitation that is taken up this way.')],
    answers: {
      302: redirect('To the provider, or back to the application with an error while the provider is down.'),
    },
    refusals: ['unsupportedProvider', 'providerNotSupported', 'invitedUserNotFound', ...pkce],
  },
  'GET /callback': {
    id: 'callback',
    tag: 'Providers',
    summary: 'Where a provider sends the browser back to.',
    query: callbackQuery,
    answers: callbackAnswers,
  },
  'POST /callback': {
    id: 'callbackByForm',
    tag: 'Providers',
    summary: 'The same by a form (response_mode=form_post).',
    query: callbackQuery,
    answers: callbackAnswers,
  },
};
