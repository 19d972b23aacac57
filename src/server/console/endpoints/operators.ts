import { type OperatorRow, readOperators } from '../../../db/operators.js';
import { operatorRoles } from '../../http/types.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import {
  changeOperatorRole,
  createOperator,
  type InvitedOperator,
  removeOperator,
  resetOperator,
} from '../operator-accounts.js';

const text = { type: 'string' } as const;
const roleField = {
  role: { type: 'string', enum: operatorRoles, description: 'viewer, support, admin or owner.' },
} as const;
const operator = objectOf({
  id: text,
  name: text,
  role: text,
  created_at: text,
  last_sign_in_at: orNull('string'),
  has_password: { type: 'boolean' },
  passkeys: { type: 'integer', description: 'How many.' },
});
const invited = {
  description: 'The operator, and a link that works once within 15 minutes. It is not shown again.',
  body: objectOf({ operator, link: text }),
} as const;

const viewOperator = ({ id, name, role, created_at, last_sign_in_at, has_password, passkeys }: OperatorRow) => ({
  id,
  name,
  role,
  created_at,
  last_sign_in_at,
  has_password,
  passkeys,
});
const viewInvited = ({ operator: row, link }: InvitedOperator) => ({ operator: viewOperator(row), link });

export const getOperators = defineConsole({
  method: 'GET',
  path: '/api/operators',
  role: 'owner',
  id: 'listOperators',
  tag: 'Operators',
  summary: 'Lists the operators.',
  answer: { description: 'All, by name.', body: objectOf({ operators: listOf(operator) }) },
  handler: async ({ db }) => ({ status: 200, body: { operators: (await readOperators(db)).map(viewOperator) } }),
});

export const postOperators = defineConsole({
  method: 'POST',
  path: '/api/operators',
  role: 'owner',
  stepUp: true,
  body: consoleBody({ name: textField('Name to sign in with.'), ...roleField, ...reasonField }, 'name', 'role'),
  id: 'createOperator',
  tag: 'Operators',
  summary: 'Creates an operator.',
  answer: invited,
  errors: ['operatorNameInvalid', 'operatorNameTaken'],
  async handler(app, { id, caller, body }) {
    const deed = { operator: caller, requestId: id, reason: body.reason };
    return { status: 200, body: viewInvited(await createOperator(app, deed, body)) };
  },
});

export const putOperator = defineConsole({
  method: 'PUT',
  path: '/api/operators/{operator_id}',
  role: 'owner',
  stepUp: true,
  body: consoleBody({ ...roleField, ...reasonField }, 'role'),
  id: 'changeOperatorRole',
  tag: 'Operators',
  summary: 'Changes the role of another operator, whose sessions end.',
  answer: { description: 'The operator.', body: operator },
  errors: ['operatorNotFound', 'operatorSelf', 'operatorLastOwner'],
  async handler(app, { id, caller, body, params }) {
    const deed = { operator: caller, requestId: id, reason: body.reason };
    return { status: 200, body: viewOperator(await changeOperatorRole(app, deed, params.operator_id, body.role)) };
  },
});

export const postOperatorReset = defineConsole({
  method: 'POST',
  path: '/api/operators/{operator_id}/reset',
  role: 'owner',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'resetOperator',
  tag: 'Operators',
  summary: 'Removes passkeys, password and sessions of an operator, and makes a link that sets up new ones.',
  answer: invited,
  errors: ['operatorNotFound'],
  async handler(app, { id, caller, body, params }) {
    const deed = { operator: caller, requestId: id, reason: body.reason };
    return { status: 200, body: viewInvited(await resetOperator(app, deed, params.operator_id)) };
  },
});

export const deleteOperatorById = defineConsole({
  method: 'DELETE',
  path: '/api/operators/{operator_id}',
  role: 'owner',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'removeOperator',
  tag: 'Operators',
  summary: 'Removes another operator.',
  answer: { status: 204, description: 'Removed.' },
  errors: ['operatorNotFound', 'operatorSelf', 'operatorLastOwner'],
  async handler(app, { id, caller, body, params }) {
    await removeOperator(app, { operator: caller, requestId: id, reason: body.reason }, params.operator_id);
    return { status: 204 };
  },
});
