/** Organizations in worlds, and ways to their pages. */
import { asAdmin } from '../admin.js';
import { password } from '../server.js';
import { manage } from './manage.js';
import type { Visitor } from './visitor.js';
import type { World } from './worlds.js';

export const LIST = '/ui/account/organizations';
export const LONG_NAME = 'Consolidated Amalgamated Spreadsheet Synchronisation & Sons, Research and Development';

/** Slugs are those of one world, in which every language sees the state. */
let made = 0;

async function idOf({ database }: World, email: string): Promise<string> {
  return (await database.admin.query('select id from users where email = $1', [email])).rows[0].id;
}

/** An organization of a person. @returns its id */
export async function found(world: World, email: string, name: string): Promise<string> {
  const body = { name, slug: `acme-${++made}`, owner_id: await idOf(world, email) };
  return (await asAdmin(world)('POST', '/admin/organizations', body)).body.id;
}

export async function addTo(world: World, id: string, email: string, ...roles: string[]): Promise<void> {
  const body = { user_id: await idOf(world, email), roles };
  await asAdmin(world)('POST', `/admin/organizations/${id}/members`, body);
}

/** Comes to a page of an organization of the person, with another member. @param policies of the organization */
export async function comeTo(visitor: Visitor, part: string, role = 'owner', policies: object = {}): Promise<void> {
  await goTo(visitor, await manage(visitor, '/organizations'), part, role, policies);
}

/** The same where companies sign in elsewhere, so that the address is asked for first. */
export async function comeToAtCompany(visitor: Visitor, part: string): Promise<void> {
  const address = await visitor.world.addPerson('ada');
  await visitor.open(LIST);
  await visitor.goOnWith(address);
  await visitor.fill({ password });
  await press(visitor, 'password');
  await goTo(visitor, address, part, 'owner', {});
}

async function goTo(visitor: Visitor, address: string, part: string, role: string, policies: object): Promise<void> {
  const { world } = visitor;
  const other = await world.addPerson('grace', { user_metadata: { name: 'Grace Brewster Murray Hopper' } });
  const id = await found(world, role === 'owner' ? address : other, LONG_NAME);
  await addTo(world, id, role === 'owner' ? other : address, 'member');
  await asAdmin(world)('PUT', `/admin/organizations/${id}`, { policies });
  await visitor.open(`${LIST}/${id}${part}`);
}

/** Presses the first button of a form that has one. */
export const press = (visitor: Visitor, action: string): Promise<void> => visitor.press(`button[value="${action}"]`);
