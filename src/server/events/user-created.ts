/** The hook after_user_created, which hears of each new account through the outbox of events. */
import { findUserById } from '../../db/admin-users.js';
import type { Database } from '../../db/types.js';
import type { AfterUserCreated } from '../hooks/contract.js';
import type { EventSubscriber } from './contract.js';
import type { UserView } from './webhook.js';

export interface UserCreatedSubscriber extends EventSubscriber {
  /** Takes what a reload changes. @param hook null: off */
  use(hook: AfterUserCreated | null, includesAdmin: boolean): void;
}

/** Off until its first use(). */
export function subscribeUserCreated(db: Database, viewUser: UserView): UserCreatedSubscriber {
  let current: { readonly hook: AfterUserCreated; readonly includesAdmin: boolean } | null = null;
  return {
    name: 'hook:after_user_created',
    types: ['user.created'],
    isOn: () => current !== null,
    use(hook, includesAdmin) {
      current = hook === null ? null : { hook, includesAdmin };
    },
    async handle({ id, user_id: userId, data }) {
      if (current === null) throw new Error('the hook is off');
      const { hook, includesAdmin } = current;
      if (userId === null || (data['created_by'] === 'admin' && !includesAdmin)) return;
      const row = await findUserById(db, userId);
      // An account that is gone by now has no user object.
      if (row === undefined || row.deleted_at !== null) return;
      const { ip } = data;
      await hook.announce(viewUser(row), typeof ip === 'string' ? ip : null, id);
    },
  };
}
