/** Asks the hook before_user_created about an account, after all checks and before anything is written. */
import { randomUUID } from 'node:crypto';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import type { App, Client } from '../runtime/app.js';
import { emptyUser } from './fabricated-user.js';
import { viewUser } from './user-view.js';

export interface PlannedUser {
  /** Absent: the account gets another id later. */
  readonly id?: string;
  readonly audience: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly appMetadata: Metadata;
  readonly userMetadata: Metadata;
  readonly isAnonymous?: boolean;
}

/** @returns the account as the hooks see it before it exists */
export function viewPlannedUser({ config }: Pick<App, 'config'>, planned: PlannedUser): Record<string, unknown> {
  const now = new Date().toISOString();
  const row: UserRow = {
    ...emptyUser,
    id: planned.id ?? randomUUID(),
    aud: planned.audience,
    role: config.jwtDefaultGroupName.trim(),
    email: planned.email,
    phone: planned.phone,
    app_metadata: planned.appMetadata,
    user_metadata: planned.userMetadata,
    is_anonymous: planned.isAnonymous ?? false,
    created_at: now,
    updated_at: now,
  };
  return viewUser(row);
}

/** @throws ApiError of the hook, which is the whole answer */
export async function assertMayCreate(
  app: Pick<App, 'config' | 'hooks'>,
  client: Pick<Client, 'ip'>,
  planned: PlannedUser,
): Promise<void> {
  if (app.hooks.beforeUserCreated === null) return;
  await app.hooks.beforeUserCreated.assertAllowed(viewPlannedUser(app, planned), client.ip);
}

/** For rehearsals of hooks. */
export function viewExampleUser(app: Pick<App, 'config'>): ReturnType<typeof viewPlannedUser> {
  const metadata = { appMetadata: { provider: 'email', providers: ['email'] }, userMetadata: {} };
  const example = { audience: app.config.jwtAudience, email: 'someone@example.com', phone: null };
  return viewPlannedUser(app, { ...example, ...metadata });
}
