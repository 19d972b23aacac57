/** Stores what an import of organizations has read. What is there stays as it is, so that a file may come again. */
import { randomUUID } from 'node:crypto';
import { readOrganizationRoles } from '../../../db/organization-roles.js';
import {
  type FoundMember,
  findNamedMembers,
  findTakenOrganizations,
  type ImportedMember,
  importMembers,
  importOrganizations,
  type TransferredOrganization,
} from '../../../db/organization-transfer.js';
import type { Database } from '../../../db/types.js';
import type { RowResult } from '../../importing/stage.js';
import { storeWholeRole } from '../../organizations/installation-roles.js';
import { BUILT_IN_ROLES } from '../../organizations/role-catalog.js';
import { type MemberLine, type OrganizationLine, type RoleLine, slugsOf } from './transfer-lines.js';

/** Each takes a batch, and returns what became of each item, in order. */
export interface LineStore {
  role(items: readonly RoleLine[]): Promise<RowResult[]>;
  organization(items: readonly OrganizationLine[]): Promise<RowResult[]>;
  member(items: readonly MemberLine[]): Promise<RowResult[]>;
}

const refused = (reason: string): RowResult => ({ reason });

/** @param isDry stores nothing; what the same file would have stored counts as stored, for its members */
export async function openLineStore(db: Database, isDry: boolean): Promise<LineStore> {
  // Roles of the database; with those of the file.
  const ownRoles = new Set((await readOrganizationRoles(db)).map(({ name }) => name));
  /** Of a dry run. */
  const planned = { ids: new Set<string>(), slugs: new Map<string, string>() };

  async function storeRole(role: RoleLine): Promise<RowResult> {
    if (ownRoles.has(role.name)) return 'skipped';
    if (!isDry && !(await storeWholeRole(db, role))) return refused('there are as many roles as there may be');
    ownRoles.add(role.name);
    return 'imported';
  }

  async function takenBy(items: readonly OrganizationLine[]): Promise<{ ids: Set<string>; slugs: Set<string> }> {
    const ids = items.flatMap(({ id }) => id ?? []);
    const slugs = items.flatMap(slugsOf);
    const rows = await findTakenOrganizations(db, ids, slugs);
    return {
      ids: new Set([...rows.map(({ id }) => id), ...ids.filter((id) => planned.ids.has(id))]),
      slugs: new Set([...rows.map(({ slug }) => slug), ...slugs.filter((slug) => planned.slugs.has(slug))]),
    };
  }

  async function storeOrganizations(items: readonly OrganizationLine[]): Promise<RowResult[]> {
    const taken = await takenBy(items);
    const rows: TransferredOrganization[] = [];
    const results = items.map((item): RowResult | TransferredOrganization => {
      const isThere = item.id === null ? taken.slugs.has(item.slug!) : taken.ids.has(item.id);
      if (isThere) return 'skipped';
      const slug = slugsOf(item).find((each) => !taken.slugs.has(each));
      if (slug === undefined) {
        return refused(item.slug === null ? 'no slug of its name is free: give it one' : 'another one has its slug');
      }
      const row = { ...item, id: item.id ?? randomUUID(), slug };
      taken.ids.add(row.id);
      taken.slugs.add(slug);
      rows.push(row);
      return row;
    });
    const added = new Set(isDry ? rows.map(({ id }) => id) : await importOrganizations(db, rows));
    if (isDry) {
      for (const { id, slug } of rows) {
        planned.ids.add(id);
        planned.slugs.set(slug, id);
      }
    }
    return results.map((result) => {
      if (typeof result === 'string' || 'reason' in result) return result;
      return added.has(result.id) ? 'imported' : refused('its id or its slug was taken meanwhile');
    });
  }

  function organizationOf({ named }: MemberLine, found: FoundMember): string | null {
    const { organizationId: id, slug } = named;
    return (
      found.organization_id ?? (id === null ? (planned.slugs.get(slug!) ?? null) : planned.ids.has(id) ? id : null)
    );
  }

  async function storeMembers(items: readonly MemberLine[]): Promise<RowResult[]> {
    const found = await findNamedMembers(
      db,
      items.map(({ named }) => named),
    );
    const rows = new Map<string, ImportedMember>();
    const results = items.map((item, position): RowResult | ImportedMember => {
      const organizationId = organizationOf(item, found[position]!);
      const { user_id: userId, is_member: isMember, is_anonymous: isAnonymous } = found[position]!;
      if (organizationId === null) return refused('there is no such organization');
      if (userId === null) return refused('there is no such account');
      if (isAnonymous) return refused('the account is anonymous, and joins nothing');
      const key = `${organizationId} ${userId}`;
      if (isMember || rows.has(key)) return 'skipped';
      const unknown = item.roles.find((role) => !ownRoles.has(role) && !BUILT_IN_ROLES.includes(role));
      if (unknown !== undefined) return refused(`there is no role ${unknown}`);
      const { roles, via, joinedAt } = item;
      const row = { organizationId, userId, roles, via, joinedAt };
      rows.set(key, row);
      return row;
    });
    const members = [...rows.values()];
    const added = isDry || members.length === 0 ? members.map(() => true) : await addMembers(members);
    const isAdded = new Map(members.map((member, position) => [member, added[position]]));
    return results.map((result) => {
      if (typeof result === 'string' || 'reason' in result) return result;
      return isAdded.get(result) === true
        ? 'imported'
        : refused('its organization or account was deleted, or the account has joined, meanwhile');
    });
  }

  async function addMembers(members: readonly ImportedMember[]): Promise<readonly boolean[]> {
    const own = new Set(members.flatMap(({ roles }) => roles).filter((role) => !BUILT_IN_ROLES.includes(role)));
    const added = await importMembers(db, members, [...own]);
    if (added === null) throw new Error('a role was removed meanwhile');
    return added;
  }

  return {
    async role(items) {
      const results: RowResult[] = [];
      for (const item of items) results.push(await storeRole(item));
      return results;
    },
    organization: storeOrganizations,
    member: storeMembers,
  };
}
