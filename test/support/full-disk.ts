import type { Client } from 'pg';

/** No row of the setting `name` finds room any more, as on a full disk, while other rows do. @returns what gives it room again */
export async function fillDiskFor(admin: Pick<Client, 'query'>, name: string): Promise<() => Promise<void>> {
  await admin.query(`
    create or replace function no_room() returns trigger language plpgsql as $$
    begin
      if new.name = tg_argv[0] then
        raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100';
      end if;
      return new;
    end $$;
    create trigger no_room before insert on setting_changes for each row execute function no_room('${name}')`);
  return async () => {
    await admin.query('drop trigger no_room on setting_changes; drop function no_room()');
  };
}
