/** Lines of a file of organizations: what they look like (docs/organizations.md, Moving in). */
import type { OrganizationRoleRow } from '../../../db/organization-roles.js';
import type { NamedMember } from '../../../db/organization-transfer.js';
import type { JoinedVia } from '../../../db/organizations.js';
import type { Metadata, OrganizationPolicies } from '../../../db/user-rows.js';
import { readUuid } from '../../../db/uuid.js';
import { normaliseEmail } from '../../accounts/addresses.js';
import { parseJsonText } from '../../importing/json-line.js';
import type { RawRecord } from '../../importing/records.js';
import { type Fields, RowFault, readAddress, readObject, readText, readTime } from '../../importing/rows.js';
import { readMaxMembers } from '../../organizations/administer.js';
import { readRoles } from '../../organizations/change-members.js';
import { readWholeRole } from '../../organizations/installation-roles.js';
import { proposeSlugs, readOrganizationFields } from '../../organizations/organization-fields.js';
import { mergePolicies, readPolicyChanges } from '../../organizations/policies.js';
import { judged } from '../users/client-rows.js';

export const lineTypes = ['role', 'organization', 'member'] as const;
export type LineType = (typeof lineTypes)[number];

export type RoleLine = Pick<OrganizationRoleRow, 'name' | 'description' | 'permissions'>;

export interface OrganizationLine {
  /** Null: it is known by its slug. */
  readonly id: string | null;
  /** Null: it gets one of its name. */
  readonly slug: string | null;
  readonly name: string;
  readonly logo_url: string | null;
  readonly metadata: Metadata;
  /** Null: they ask for nothing. */
  readonly policies: OrganizationPolicies | null;
  readonly max_members: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MemberLine {
  readonly named: NamedMember;
  /** Sorted. */
  readonly roles: readonly string[];
  readonly via: JoinedVia;
  readonly joinedAt: string;
}

export type TransferLine =
  | { readonly type: 'role'; readonly item: RoleLine }
  | { readonly type: 'organization'; readonly item: OrganizationLine }
  | { readonly type: 'member'; readonly item: MemberLine };

const waysIn: readonly string[] = ['invitation', 'domain', 'sso', 'scim', 'admin', 'creation'] satisfies JoinedVia[];

/**
 * @param now RFC 3339, for lines without a time
 * @throws RowFault
 */
export function readTransferLine({ bytes, exceeds }: RawRecord, now: string): TransferLine {
  if (exceeds !== null) throw new RowFault(`the line is over ${exceeds / 1_048_576} MiB`);
  const fields = parseJsonText(bytes);
  const { type } = fields;
  if (type === 'role') return { type, item: readRoleLine(fields) };
  if (type === 'organization') return { type, item: readOrganizationLine(fields, now) };
  if (type === 'member') return { type, item: readMemberLine(fields, now) };
  throw new RowFault(`type is none of ${lineTypes.join(', ')}`);
}

const readRoleLine = (fields: Fields): RoleLine =>
  judged(() =>
    readWholeRole({
      name: readText(fields, 'name') ?? '',
      description: readText(fields, 'description') ?? '',
      permissions: readNames(fields, 'permissions') ?? [],
    }),
  );

function readOrganizationLine(fields: Fields, now: string): OrganizationLine {
  const [id, given] = [readLineId(fields, 'id'), readText(fields, 'slug')];
  if (id === null && given === null) throw new RowFault('needs an id or a slug');
  const logo = readText(fields, 'logo_url');
  const policies = readObject(fields, 'policies');
  const { name, logoUrl, metadata, slug } = judged(() =>
    readOrganizationFields({
      name: readText(fields, 'name') ?? '',
      metadata: readObject(fields, 'metadata') ?? {},
      ...(given !== null && { slug: given }),
      ...(logo !== null && { logo_url: logo }),
    }),
  );
  const created_at = readTime(fields, 'created_at') ?? now;
  return {
    id,
    slug: slug ?? null,
    name: name!,
    logo_url: logoUrl ?? null,
    metadata: metadata!,
    policies: policies && judged(() => mergePolicies(null, readPolicyChanges(policies))),
    max_members: readLimit(fields),
    created_at,
    updated_at: readTime(fields, 'updated_at') ?? created_at,
  };
}

function readMemberLine(fields: Fields, now: string): MemberLine {
  const named = {
    organizationId: readLineId(fields, 'organization_id'),
    slug: readText(fields, 'organization'),
    userId: readLineId(fields, 'user_id'),
    email: readAddress(fields, 'email', normaliseEmail),
  };
  if ((named.organizationId === null) === (named.slug === null)) {
    throw new RowFault('needs organization_id, or organization with the slug');
  }
  if ((named.userId === null) === (named.email === null)) throw new RowFault('needs user_id, or email');
  const via = readText(fields, 'via') ?? 'admin';
  if (!waysIn.includes(via)) throw new RowFault(`via is none of ${waysIn.join(', ')}`);
  return {
    named,
    roles: judged(() => readRoles(readNames(fields, 'roles') ?? ['member'])),
    via: via as JoinedVia,
    joinedAt: readTime(fields, 'joined_at') ?? now,
  };
}

/** The first one that is free is taken: that of its name, or the same with the beginning of its id. */
export function slugsOf({ id, name, slug }: OrganizationLine): readonly string[] {
  if (slug !== null || id === null) return [slug!];
  const [base] = proposeSlugs(name);
  return [base!, `${base!.slice(0, 54)}-${id.slice(0, 8)}`];
}

function readLineId(fields: Fields, name: string): string | null {
  const text = readText(fields, name);
  if (text === null) return null;
  const id = readUuid(text);
  if (id === null) throw new RowFault(`${name} is not a UUID`);
  return id;
}

function readNames(fields: Fields, name: string): readonly string[] | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new RowFault(`${name} is not a list of texts`);
}

function readLimit(fields: Fields): number | null {
  const value = fields['max_members'] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new RowFault('max_members is not a whole number');
  return judged(() => readMaxMembers(value)) ?? null;
}
