import { type FilterQuery, listSavedFilters, removeSavedFilter, saveFilter } from '../../../db/saved-filters.js';
import { isUuid } from '../../../db/uuid.js';
import { apiError } from '../../errors.js';
import { consoleBody, defineConsole, listOf, objectOf } from '../define-console.js';
import { assertRole, hasRole } from '../operator.js';
import { done } from './user.js';
import { getUsers } from './users.js';

const MOST_FILTERS = 50;
const MOST_CHARACTERS = 320;
/** Parameters of the search, without those of a page. */
const parameters = Object.keys(getUsers.query ?? {}).filter((name) => name !== 'limit' && name !== 'cursor');

const savedFilter = objectOf({
  id: { type: 'string' },
  name: { type: 'string' },
  query: { type: 'object', description: 'Parameters of the search, as texts.' },
  is_shared: { type: 'boolean', description: 'All operators see it.' },
  is_own: { type: 'boolean' },
  operator_name: { type: 'string' },
});

export const getSavedFilters = defineConsole({
  method: 'GET',
  path: '/api/saved-filters',
  role: 'viewer',
  id: 'listSavedFilters',
  tag: 'Users',
  summary: 'Returns the filters that the operator has saved, and those that all see.',
  answer: { description: 'By their names.', body: objectOf({ filters: listOf(savedFilter) }) },
  async handler({ db }, { caller }) {
    return { status: 200, body: { filters: await listSavedFilters(db, caller.id) } };
  },
});

export const postSavedFilter = defineConsole({
  method: 'POST',
  path: '/api/saved-filters',
  role: 'viewer',
  body: consoleBody(
    {
      name: { type: 'string', minLength: 1, maxLength: 64, description: 'What the operator calls it.' },
      query: { type: 'object', description: 'Parameters of the search, as texts.' },
      is_shared: { type: 'boolean', description: 'All operators see it: by administrators only.' },
    },
    'name',
    'query',
  ),
  id: 'saveFilter',
  tag: 'Users',
  summary: 'Gives a filter of the list of users a name.',
  answer: { status: 201, description: 'Saved.', body: objectOf({ id: { type: 'string' } }) },
  errors: ['savedFilterInvalid', 'savedFilterExists', 'operatorRoleTooLow'],
  async handler({ db }, { caller, body }) {
    const { is_shared = false } = body;
    if (is_shared) assertRole(caller, 'admin');
    const name = body.name.trim();
    if (name === '') throw apiError('savedFilterInvalid', { reason: 'it has no name' });
    const query = readFilterQuery(body.query);
    const id = await saveFilter(db, caller.id, { name, query, is_shared }, MOST_FILTERS);
    if (id !== undefined) return { status: 201, body: { id } };
    const own = (await listSavedFilters(db, caller.id)).filter(({ is_own }) => is_own);
    if (own.some((one) => one.name === name)) throw apiError('savedFilterExists');
    throw apiError('savedFilterInvalid', { reason: `an operator has ${MOST_FILTERS} at most` });
  },
});

/** @throws ApiError savedFilterInvalid */
function readFilterQuery(given: Readonly<Record<string, unknown>>): FilterQuery {
  const pairs = Object.entries(given).filter(([, value]) => value !== '' && value !== null);
  if (pairs.length === 0) throw apiError('savedFilterInvalid', { reason: 'no filter is set' });
  for (const [name, value] of pairs) {
    if (!parameters.includes(name)) {
      throw apiError('savedFilterInvalid', { reason: `${name.slice(0, 32)} is no parameter of the search` });
    }
    if (typeof value !== 'string' || value.length > MOST_CHARACTERS) {
      throw apiError('savedFilterInvalid', { reason: `${name} is no text of at most ${MOST_CHARACTERS} characters` });
    }
  }
  return Object.fromEntries(pairs) as FilterQuery;
}

export const deleteSavedFilter = defineConsole({
  method: 'DELETE',
  path: '/api/saved-filters/{filter_id}',
  role: 'viewer',
  id: 'deleteSavedFilter',
  tag: 'Users',
  summary: 'Deletes a filter of the operator; administrators delete those that all see, too.',
  answer: done,
  errors: ['savedFilterNotFound'],
  async handler({ db }, { caller, params }) {
    const id = params.filter_id;
    const isDone = isUuid(id) && (await removeSavedFilter(db, id, caller.id, hasRole(caller, 'admin')));
    if (!isDone) throw apiError('savedFilterNotFound');
    return { status: 204 };
  },
});
