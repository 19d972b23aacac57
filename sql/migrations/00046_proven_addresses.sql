-- Proven and confirmed addresses are told apart (docs/decisions.md, Proven and confirmed). Autoconfirm confirms and proves
-- nothing; OAuth clients hear only of what was proven.

-- The address that was proven last. It counts while the account still has it, so that no change of an address, also by the
-- previous release, carries a proof over to another one.
alter table /*p*/users add column proven_email text, add column proven_phone text;

-- Accounts from before: an address counts as proven where this database shows it, and as unproven otherwise, until it is
-- proven again or an operator confirms it. Every proven account is written once. The triggers are silent: what accounts are
-- to others has not changed.
do $$
declare
  confirmed bigint;
  proven bigint;
begin
  perform set_config('latchkey.origin', '{"mute": true}', true);

  update /*p*/users u
  set proven_email = u.email
  where u.email is not null and u.email_confirmed_at is not null and u.deleted_at is null
    and (
      -- An operator set it, or it was confirmed before it was imported.
      exists (select from /*p*/account_origins o where o.user_id = u.id and 'email' = any(o.operator_set))
      or exists (
        select from /*p*/moved_accounts m where m.user_id = u.id and u.email_confirmed_at <= m.updated_at)
      -- A provider vouches for it, or a link or code has marked its identity. Autoconfirm marks none at a sign-up; it did when
      -- it gave an anonymous user the first address, at one time with the confirmation and without a mail.
      or exists (
        select from /*p*/identities i
        where i.user_id = u.id and i.email = u.email and i.identity_data @> '{"email_verified": true}'
          and (i.provider <> 'email' or u.created_at = u.email_confirmed_at or i.created_at <> u.email_confirmed_at
            or u.email_change_sent_at is not null))
      -- An administrator created or confirmed it: the entry of the audit log has the time of the change.
      or exists (
        select from /*p*/audit_log a
        where a.created_at = u.email_confirmed_at and a.payload -> 'traits' ->> 'user_id' = u.id::text)
    );

  update /*p*/users u
  set proven_phone = u.phone
  where u.phone is not null and u.phone_confirmed_at is not null and u.deleted_at is null
    and (
      exists (select from /*p*/account_origins o where o.user_id = u.id and 'phone' = any(o.operator_set))
      or exists (
        select from /*p*/moved_accounts m where m.user_id = u.id and u.phone_confirmed_at <= m.updated_at)
      -- A sign-up or a change by a code has marked its identity; a change that needed no code was not sent.
      or exists (
        select from /*p*/identities i
        where i.user_id = u.id and i.provider = 'phone' and i.identity_data @> '{"phone_verified": true}'
          and (u.created_at = u.phone_confirmed_at or u.phone_change_sent_at is not null))
      -- The code of a sign-up confirms without a sign-in of its own; autoconfirm signs in by password.
      or exists (
        select from /*p*/audit_log a
        where a.created_at = u.phone_confirmed_at and a.payload ->> 'actor_id' = u.id::text
          and a.payload ->> 'action' = 'user_signedup'
          and not exists (
            select from /*p*/audit_log b
            where b.created_at = a.created_at and b.payload ->> 'actor_id' = u.id::text
              and b.payload ->> 'action' = 'login'))
      or exists (
        select from /*p*/audit_log a
        where a.created_at = u.phone_confirmed_at and a.payload -> 'traits' ->> 'user_id' = u.id::text)
    );

  select count(*) filter (where u.email_confirmed_at is not null) + count(*) filter (where u.phone_confirmed_at is not null),
    count(*) filter (where u.proven_email = u.email) + count(*) filter (where u.proven_phone = u.phone)
  into confirmed, proven
  from /*p*/users u where u.deleted_at is null;
  if proven < confirmed then
    raise notice '% of % confirmed addresses count as unproven: nothing shows that they were proven', confirmed - proven, confirmed;
  end if;
  perform set_config('latchkey.origin', '', true);
end
$$;
