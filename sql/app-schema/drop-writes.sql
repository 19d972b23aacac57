-- What takes the writes of the application (writes.sql), with its triggers, which then need no right to drop any on a table of
-- another role.
drop function if exists /*p*/take_application_change() cascade;
drop function if exists /*p*/take_application_deletions() cascade;
drop function if exists /*p*/take_application_insertions() cascade;
drop function if exists /*p*/take_application_identities() cascade;
drop function if exists /*p*/refuse_identity_deletions() cascade;
drop function if exists /*p*/refuse_truncation() cascade;
