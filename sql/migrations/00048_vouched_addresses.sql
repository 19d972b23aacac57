-- The address that an administrator confirmed although the account had it already. Others hear of it as of a proven one, but
-- its owner has shown nothing yet, so the first proof is still to come (docs/decisions.md, First proof of an address). It
-- counts while the account has the address, as proven_email does.
alter table /*p*/users add column vouched_email text, add column vouched_phone text;
