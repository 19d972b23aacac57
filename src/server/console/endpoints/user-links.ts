import { readUser } from '../../admin/change-user.js';
import { generateLink } from '../../codes/generate-link.js';
import { mailedLinks, sendLink } from '../../codes/send-link.js';
import { clientOf, redirectOf } from '../../endpoints/shared/client.js';
import { consoleBody, defineConsole, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { errorsOfUser } from './user.js';

const body = consoleBody(
  {
    type: {
      type: 'string',
      enum: mailedLinks,
      description: 'recovery, magiclink; invite or signup (a confirmation) while the address is not confirmed.',
    },
    redirect_to: textField('Redirect target.'),
    ...reasonField,
  },
  'type',
);
const errors = [...errorsOfUser, 'linkUserNotFound', 'emailInvalid', 'emailExists'] as const;

export const postUserLink = defineConsole({
  method: 'POST',
  path: '/api/users/{user_id}/link',
  role: 'admin',
  stepUp: true,
  body,
  id: 'createUserLink',
  tag: 'Users',
  summary: 'Creates a link that signs the user in, to hand over; nothing is sent.',
  answer: { description: 'The link and its code.', body: { $ref: '#/components/schemas/GeneratedLink' } },
  errors,
  async handler(app, request) {
    const row = await readUser(app, request.params.user_id);
    const { type, redirect_to } = request.body;
    const admin = asAdministrator(deedOf(request));
    return {
      status: 200,
      body: await generateLink(app, clientOf(request), admin, {
        type,
        email: row.email ?? '',
        newEmail: '',
        password: '',
        data: {},
        audience: row.aud,
        redirectTo: redirectOf(app, request, redirect_to),
        userId: row.id,
      }),
    };
  },
});

/** The operator does not see the link, so that it takes a lower role than the link itself. */
export const postUserLinkMail = defineConsole({
  method: 'POST',
  path: '/api/users/{user_id}/link/send',
  role: 'support',
  body,
  id: 'sendUserLink',
  tag: 'Users',
  summary: 'Mails a link to the address of the user, with its template, send interval and quota.',
  answer: {
    description: 'It is in the outbox. `message_id` is null when the hook send_email has sent it.',
    body: objectOf({ sent_to: { type: 'string' }, message_id: orNull('string') }),
  },
  errors: [...errors, 'mailOff', 'emailNotAuthorized', 'emailAddressInvalid', 'tooSoonForEmail', 'overEmailQuota'],
  async handler(app, request) {
    const row = await readUser(app, request.params.user_id);
    const { type, redirect_to } = request.body;
    const redirectTo = redirectOf(app, request, redirect_to);
    const admin = asAdministrator(deedOf(request));
    return { status: 200, body: await sendLink(app, request.id, admin, row, { type, redirectTo }) };
  },
});
