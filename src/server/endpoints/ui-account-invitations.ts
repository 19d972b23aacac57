import { invitationsPage, submitOwnInvitations } from '../pages/account/invitations-section.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountFormErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';

export const getUiAccountInvitations = defineEndpoint({
  ...shownPage(invitationsPage),
  path: '/ui/account/invitations',
  query: { ...accountQuery, invitation: text('Id of the invitation that the person comes for.') },
  id: 'showAccountInvitations',
  summary: 'Invitations to organizations for the address of the account.',
  errors: accountErrors,
});

export const postUiAccountInvitations = defineEndpoint({
  ...formEndpoint(invitationsPage),
  path: '/ui/account/invitations',
  limit: 'user',
  body: fields('form_token', 'action', 'entry_id'),
  id: 'submitAccountInvitations',
  summary: 'Accepts or declines an invitation.',
  errors: [
    ...accountFormErrors,
    'invitationForOtherAddress',
    'alreadyAMember',
    'tooManyMembers',
    'tooManyOrganizations',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitOwnInvitations(visit, request.body)),
});
