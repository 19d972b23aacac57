/** Invitations to organizations: by their link, and on the account page. */
import { freshEmail, password } from '../server.js';
import { manage, signInElsewhere } from './manage.js';
import type { PageState } from './page-state.js';
import type { Visitor } from './visitor.js';

const LONG = 'Consolidated Amalgamated Spreadsheet Synchronisation Assistance Company';

/** Somebody invites an address to an organization. @returns how to revoke it */
async function invite({ world }: Visitor, email: string, name: string) {
  const body = { email: await world.addPerson('olga'), password };
  const { body: session } = await world.call('POST', '/token?grant_type=password', { body });
  const bearer = session.access_token as string;
  const { body: organization } = await world.call('POST', '/organizations', { bearer, body: { name } });
  const path = `/organizations/${organization.id}/invitations`;
  const { body: invitation } = await world.call('POST', path, { bearer, body: { email } });
  return () => world.call('DELETE', `${path}/${invitation.id}`, { bearer });
}

/** Opens the link as its mail has it where the setting of its path names the page. */
async function openLink(visitor: Visitor, email: string): Promise<void> {
  const { link } = await visitor.world.nextMail(email);
  await visitor.open(`/ui/link${link!.search}`);
}

async function seeInvitations(visitor: Visitor, ...names: readonly string[]) {
  const address = await manage(visitor, '/invitations');
  let revoke: () => Promise<unknown> = async () => undefined;
  for (const name of names) revoke = await invite(visitor, address, name);
  await visitor.open('/ui/account/invitations');
  return revoke;
}

export const invitationStates: readonly PageState[] = [
  {
    page: '/ui/link',
    state: 'invitation',
    world: 'full',
    shows: 'main:not(:has(.alert)) button[value="decline"]',
    async reach(visitor) {
      const email = freshEmail();
      await invite(visitor, email, LONG);
      await openLink(visitor, email);
    },
  },
  {
    page: '/ui/link',
    state: 'invitation-for-another-address',
    world: 'full',
    shows: '.alert ~ form button[value="decline"]',
    async reach(visitor) {
      const email = freshEmail();
      await manage(visitor);
      await invite(visitor, email, 'Meadow Ltd');
      await openLink(visitor, email);
    },
  },
  {
    page: '/ui/link',
    state: 'invitation-declined',
    world: 'full',
    shows: 'main:not(:has(form)) h1',
    async reach(visitor) {
      const email = freshEmail();
      await invite(visitor, email, 'Meadow Ltd');
      await openLink(visitor, email);
      await visitor.press('button[value="decline"]');
    },
  },
  {
    page: '/ui/account/invitations',
    state: 'none',
    world: 'full',
    shows: 'main:not(:has(form)) h1',
    reach: (visitor) => seeInvitations(visitor),
  },
  {
    page: '/ui/account/invitations',
    state: 'several',
    world: 'full',
    shows: 'main li ~ li form',
    reach: (visitor) => seeInvitations(visitor, 'Meadow Ltd', LONG),
  },
  {
    page: '/ui/account/invitations',
    state: 'for-another-address',
    world: 'full',
    shows: '.alert[role="note"]',
    async reach(visitor) {
      await seeInvitations(visitor, 'Meadow Ltd');
      await visitor.open('/ui/account/invitations?invitation=0f8fad5b-d9cb-469f-a165-70867728950e');
    },
  },
  {
    page: '/ui/account/invitations',
    state: 'joined',
    world: 'full',
    shows: '.alert[role="status"]',
    async reach(visitor) {
      await seeInvitations(visitor, 'Meadow Ltd');
      await visitor.press('button[value="accept"]');
    },
  },
  {
    page: '/ui/account/invitations',
    state: 'revoked-meanwhile',
    world: 'full',
    shows: 'main:not(:has(form)) .alert[role="status"]',
    async reach(visitor) {
      const revoke = await seeInvitations(visitor, 'Meadow Ltd');
      await revoke();
      await visitor.press('button[value="accept"]');
    },
  },
  {
    page: '/ui/account/invitations',
    state: 'outdated',
    world: 'full',
    status: 409,
    shows: '.alert.error',
    async reach(visitor) {
      await seeInvitations(visitor, 'Meadow Ltd');
      await signInElsewhere(visitor);
      await visitor.press('button[value="accept"]');
    },
  },
];
