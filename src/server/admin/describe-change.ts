import type { Metadata, UserRow } from '../../db/user-rows.js';

/** A change of an account, as far as the audit log tells what was before and after. Null or empty: unchanged. */
interface ToldChange {
  readonly email: string | null;
  readonly phone: string | null;
  readonly role: string;
  readonly password: string | null;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly banDuration: string;
  readonly userMetadata: Metadata | null;
  readonly appMetadata: Metadata | null;
}

/** @returns only what changes; of a password that it does, never what it is */
export function describeChange(user: UserRow, change: ToldChange) {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  const tell = (isChanged: boolean, name: string, former: unknown, next: unknown) => {
    if (!isChanged) return;
    before[name] = former;
    after[name] = next;
  };
  tell(change.email !== null, 'email', user.email, change.email);
  tell(change.phone !== null, 'phone', user.phone, change.phone);
  tell(change.role !== '', 'role', user.role, change.role);
  tell(change.password !== null, 'password', '…', 'changed');
  tell(change.confirmsEmail, 'email_confirmed', user.email_confirmed_at !== null, true);
  tell(change.confirmsPhone, 'phone_confirmed', user.phone_confirmed_at !== null, true);
  tell(change.banDuration !== '', 'ban', user.banned_until, change.banDuration);
  tellMetadata('user_metadata', user.user_metadata, change.userMetadata);
  tellMetadata('app_metadata', user.app_metadata, change.appMetadata);
  return { before, after };

  function tellMetadata(name: string, former: Metadata, next: Metadata | null): void {
    if (next === null) return;
    const keys = Object.keys(next);
    tell(true, name, Object.fromEntries(keys.map((key) => [key, former[key] ?? null])), next);
  }
}
