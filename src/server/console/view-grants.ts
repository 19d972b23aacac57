/** What a user has allowed OAuth clients, as operators see it. */
import { listGrantsOf } from '../../db/oauth-grants.js';
import { nameClient } from '../oauth/client-view.js';
import type { App } from '../runtime/app.js';
import { listOf, objectOf } from './define-console.js';

const text = { type: 'string' } as const;

export const grantList = listOf(
  objectOf({
    client_id: { ...text, description: 'Of the client in the console, which is a UUID.' },
    client: { type: 'object', description: 'id, as it presents itself, name, uri and logo_uri.' },
    scopes: { type: 'array', items: text },
    granted_at: text,
  }),
);

/** Newest first. */
export async function viewGrantsOf({ db }: Pick<App, 'db'>, userId: string) {
  const grants = await listGrantsOf(db, userId);
  return grants.map(({ client, ...grant }) => ({ client_id: client.id, client: nameClient(client), ...grant }));
}
