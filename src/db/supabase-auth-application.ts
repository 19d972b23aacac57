/** What an application has on the tables of supabase/auth. */
export interface ApplicationOnPeer {
  readonly foreignKeys: number;
  readonly triggers: number;
}

/** Triggers of Latchkey's own mirror are not counted. */
const HANGS_ON = `
  select
    (select count(*)::int from pg_constraint k
     where k.contype = 'f' and k.confrelid in (to_regclass('users'), to_regclass('identities'))
       and k.connamespace <> current_schema()::regnamespace) as "foreignKeys",
    (select count(*)::int from pg_trigger t
     where t.tgrelid in (to_regclass('users'), to_regclass('identities')) and not t.tgisinternal
       and not starts_with(t.tgname, 'latchkey_')) as triggers`;

/** @param read in a transaction whose search path is the schema of supabase/auth */
export async function findApplicationOnPeer(
  read: (text: string, values: readonly unknown[]) => Promise<ApplicationOnPeer[]>,
): Promise<ApplicationOnPeer> {
  const [found] = await read(HANGS_ON, []);
  return found!;
}
