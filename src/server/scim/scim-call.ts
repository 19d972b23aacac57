/** What is told of a call of provisioning: where, what it was to change, and why not. No values of people's attributes. */
import type { ScimCallInput } from '../../db/scim-calls.js';
import { isUuid } from '../../db/uuid.js';
import type { ProvisioningAnswer } from '../http/types.js';
import { readOperations } from './patch-operations.js';
import type { ScimCaller } from './scim-caller.js';

const MAX_CHANGES = 20;
const MAX_TEXT = 200;
/** Members that say nothing of a change. */
const FORMAL: ReadonlySet<string> = new Set(['schemas', 'id', 'meta', 'operations']);
const ROOT = '/scim/v2';

type Asked = ProvisioningAnswer['request'];
type Members = Readonly<Record<string, unknown>>;

export function describeScimCall(
  { request, status, location, refusal }: ProvisioningAnswer,
  calledAt: string,
): ScimCallInput {
  const { scopeId, tokenName } = request.caller as ScimCaller;
  return {
    scope_id: scopeId,
    called_at: calledAt,
    request_id: request.id,
    token_name: tokenName,
    method: request.method,
    path: pathOf(request),
    status,
    scim_type: refusal?.scimType ?? null,
    detail: refusal === null ? null : detailOf(request, refusal.detail),
    changes: changesOf(request),
    resource_id: idIn(request.params['id']) ?? idIn(location?.split('/').at(-1)),
  };
}

const idIn = (text = ''): string | null => (isUuid(text) ? text.toLowerCase() : null);

const shorten = (text: string): string => {
  // What Postgres cannot store, or half of a character.
  const clean = text.replaceAll('\u0000', '').toWellFormed();
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT).toWellFormed()}…` : clean;
};

/** What is looked for may be the address of a person. */
const withoutValues = (filter: string): string => shorten(filter.replace(/"(?:[^"\\]|\\.)*"?/g, '"…"'));

/** It may name what the path has in place of an id. */
function detailOf({ params }: Asked, detail: string): string {
  const id = params['id'] ?? '';
  return withoutValues(id === '' || isUuid(id) ? detail : detail.replaceAll(id, '…'));
}

function pathOf({ route, params, query, body }: Asked): string {
  const path = route.slice(ROOT.length).replace(/\{(\w+)\}/g, (_, name: string) => idIn(params[name]) ?? '…');
  const filter =
    query.get('filter') ?? (route.endsWith('/.search') ? (body as Members | undefined)?.['filter'] : undefined);
  return typeof filter === 'string' ? `${path}?filter=${withoutValues(filter)}` : path;
}

function changesOf({ method, route, body }: Asked): readonly string[] {
  if (typeof body !== 'object' || body === null || route.endsWith('/.search')) return [];
  const all = method === 'PATCH' ? describePatch(body as Members) : describeMembers(body as Members);
  return all.length > MAX_CHANGES ? [...all.slice(0, MAX_CHANGES), `… ${all.length - MAX_CHANGES} more`] : all;
}

function describePatch(body: Members): readonly string[] {
  try {
    return readOperations(body).flatMap(({ op, path, value }) =>
      path === null
        ? describeMembers(value as Members).map((change) => `${op} ${change}`)
        : [`${op} ${describeOne(withoutValues(path), value)}`],
    );
  } catch {
    // The answer tells what is wrong with it.
    return [];
  }
}

const describeMembers = (members: Members): string[] =>
  Object.entries(members)
    .filter(([name]) => !FORMAL.has(name.toLowerCase()))
    .map(([name, value]) => describeOne(shorten(name), value));

/** With the only value that everybody looks for, and the number of members. */
function describeOne(name: string, value: unknown): string {
  const lower = name.toLowerCase();
  if (lower === 'active') return `${name} ${/^true$/i.test(String(value))}`;
  return lower === 'members' && Array.isArray(value) ? `${name} (${value.length})` : name;
}
