import type { RefusalName } from '../errors.js';
import type { DocumentedAnswer, OperationDoc, QueryParameter } from './contract.js';

const number = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});
const text = (name: string, description: string): QueryParameter => ({ name, description, schema: { type: 'string' } });
const paging = [number('page', 'Which page; default 1.'), number('per_page', 'Rows of a page; default 50.')];
const pageHeaders = {
  'X-Total-Count': 'How many there are in all; not with a cursor.',
  Link: 'The next and the last page (RFC 8288).',
};
const user: Record<string, DocumentedAnswer> = { 200: { description: 'The account.', body: 'User' } };
const noUser: readonly RefusalName[] = ['userNotFound', 'userIdNotUuid'];
const taken: readonly RefusalName[] = ['emailExists', 'phoneRegistered', 'emailInvalid', 'phoneInvalid'];
const ownId: readonly RefusalName[] = ['idNotUuid', 'idNil', 'idTaken'];
const tag = 'Administration';

export const adminOperations: Readonly<Record<string, OperationDoc>> = {
  'GET /admin/users': {
    id: 'adminListUsers',
    tag,
    summary: 'Lists accounts, newest first, by page or by cursor.',
    query: [
      ...paging,
      number('limit', 'With a cursor: rows of an answer; default 50, at most 1000.'),
      text('cursor', 'Empty for the first answer, then next_cursor of the last one.'),
      text('sort', 'created_at, created_at asc or created_at desc.'),
      text('filter', 'Part of the address or of user_metadata.full_name.'),
      text('id', 'The account with this id.'),
      text('email', 'The account with this address.'),
      text('phone', 'The account with this number.'),
    ],
    answers: { 200: { description: 'A page of accounts.', body: 'UserList', headers: pageHeaders } },
    refusals: [],
  },
  'POST /admin/users': {
    id: 'adminCreateUser',
    tag,
    summary: 'Makes an account. Nothing is sent, and nothing limits it.',
    answers: user,
    refusals: [...taken, ...ownId, 'accessTokenTooLong'],
  },
  'GET /admin/users/{user_id}': {
    id: 'adminGetUser',
    tag,
    summary: 'One account.',
    answers: user,
    refusals: noUser,
  },
  'POST /admin/users/{user_id}': {
    id: 'adminCreateUserWithId',
    tag,
    summary: 'Makes an account with this id.',
    answers: user,
    refusals: [...taken, ...ownId, 'userIdNotUuid', 'idMismatch', 'accessTokenTooLong'],
  },
  'PUT /admin/users/{user_id}': {
    id: 'adminUpdateUser',
    tag,
    summary: 'Changes an account; bans it or lifts a ban.',
    answers: user,
    refusals: [...noUser, ...taken, 'weakPassword', 'banDurationInvalid', 'accessTokenTooLong'],
  },
  'DELETE /admin/users/{user_id}': {
    id: 'adminDeleteUser',
    tag,
    summary: 'Deletes an account.',
    answers: { 200: { description: 'It is gone.', body: 'Empty' } },
    refusals: noUser,
  },
  'GET /admin/users/{user_id}/factors': {
    id: 'adminListFactors',
    tag,
    summary: 'Second factors of an account: there are none here.',
    answers: { 200: { description: 'An empty list.', body: { type: 'array', items: { type: 'object' } } } },
    refusals: noUser,
  },
  'PUT /admin/users/{user_id}/factors/{factor_id}': {
    id: 'adminUpdateFactor',
    tag,
    summary: 'Answers that there is no such factor.',
    answers: {},
    refusals: [...noUser, 'factorNotFound', 'factorIdNotUuid'],
  },
  'DELETE /admin/users/{user_id}/factors/{factor_id}': {
    id: 'adminDeleteFactor',
    tag,
    summary: 'Answers that there is no such factor.',
    answers: {},
    refusals: [...noUser, 'factorNotFound', 'factorIdNotUuid'],
  },
  'POST /admin/generate_link': {
    id: 'adminGenerateLink',
    tag,
    summary: 'Makes a link and a code without sending them.',
    query: [text('redirect_to', 'Where the link leads in the end, if the body does not say.')],
    answers: { 200: { description: 'The account, and what would have been in the mail.', body: 'GeneratedLink' } },
    refusals: [
      'emailExists',
      'emailInvalid',
      'weakPassword',
      'linkTypeInvalid',
      'linkUserNotFound',
      'accessTokenTooLong',
    ],
  },
  'GET /admin/audit': {
    id: 'adminListAudit',
    tag,
    summary: 'The audit log, newest first.',
    query: [...paging, text('query', 'author:TEXT, action:TEXT or type:TEXT.')],
    answers: {
      200: {
        description: 'A page of entries.',
        body: { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } },
        headers: pageHeaders,
      },
    },
  },
  'POST /invite': {
    id: 'adminInviteUser',
    tag,
    summary: 'Makes an account and mails an invitation.',
    query: [text('redirect_to', 'Where the link leads in the end.')],
    answers: user,
    refusals: ['emailExists', 'emailInvalid', 'overEmailQuota', 'accessTokenTooLong'],
  },
};
