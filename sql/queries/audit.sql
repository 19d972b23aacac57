-- name: append
-- Entries of deeds that write nothing else.
-- $1 audit entries, array
insert into /*p*/audit_log (payload) select e.value from jsonb_array_elements($1::jsonb) e;
