import { factorsPage } from '../pages/account/factors-section.js';
import { identitiesPage, submitIdentities } from '../pages/account/identities-section.js';
import { passkeysPage, submitPasskeys } from '../pages/account/passkeys-section.js';
import { submitFactors } from '../pages/account/submit-factors.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountFormErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';

export const getUiAccountPasskeys = defineEndpoint({
  ...shownPage(passkeysPage),
  path: '/ui/account/passkeys',
  query: accountQuery,
  id: 'showAccountPasskeys',
  summary: 'The passkeys of the account.',
  errors: accountErrors,
});

export const postUiAccountPasskeys = defineEndpoint({
  ...formEndpoint(passkeysPage),
  path: '/ui/account/passkeys',
  limit: 'user',
  body: fields('form_token', 'action', 'entry_id', 'friendly_name', 'challenge_id', 'credential_json'),
  id: 'submitAccountPasskeys',
  summary: 'Adds a passkey, renames or deletes one.',
  errors: [
    ...accountFormErrors,
    'passkeyNameRequired',
    'passkeyNameTooLong',
    'tooManyPasskeys',
    'webauthnChallengeNotFound',
    'webauthnChallengeExpired',
    'webauthnResponseUnreadable',
    'webauthnResponseFalse',
    'webauthnCredentialExists',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitPasskeys(visit, request.body)),
});

export const getUiAccountFactors = defineEndpoint({
  ...shownPage(factorsPage),
  path: '/ui/account/factors',
  query: accountQuery,
  id: 'showAccountFactors',
  summary: 'Second factors, recovery codes and trusted devices of the account.',
  errors: accountErrors,
});

export const postUiAccountFactors = defineEndpoint({
  ...formEndpoint(factorsPage),
  path: '/ui/account/factors',
  limit: ({ body: { action } }) =>
    action === 'verify' ? 'factor_verify' : action === 'begin' ? 'factor_challenge' : 'user',
  body: fields(
    'form_token',
    'action',
    'entry_id',
    'factor_id',
    'friendly_name',
    'phone',
    'challenge_id',
    'code',
    'credential_json',
  ),
  id: 'submitAccountFactors',
  summary: 'Adds and removes second factors, recovery codes and trusted devices.',
  errors: [
    ...accountFormErrors,
    'factorIdNotUuid',
    'factorNameTaken',
    'factorPhoneTaken',
    'phoneInvalid',
    'tooManyFactors',
    'totpCodeWrong',
    'phoneCodeWrong',
    'factorThrottled',
    'factorResponseFalse',
    'soleRecoveryCodes',
    'recoveryCodesExist',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitFactors(visit, request.body)),
});

export const getUiAccountIdentities = defineEndpoint({
  ...shownPage(identitiesPage),
  path: '/ui/account/identities',
  query: accountQuery,
  id: 'showAccountIdentities',
  summary: 'The identities of the account.',
  errors: accountErrors,
});

export const postUiAccountIdentities = defineEndpoint({
  ...formEndpoint(identitiesPage),
  path: '/ui/account/identities',
  limit: 'authorize',
  body: fields('form_token', 'action', 'entry_id', 'provider'),
  id: 'submitAccountIdentities',
  summary: 'Leads to a provider to link an identity, or unlinks one.',
  errors: [
    ...accountFormErrors,
    'manualLinkingDisabled',
    'unsupportedProvider',
    'identityIdNotUuid',
    'lastIdentity',
    'identityEmailConflict',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitIdentities(visit, request.body)),
});
