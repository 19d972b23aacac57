-- Members with audit:read and operators read what concerns one organization (docs/organizations.md, Audit).

-- Entries of organizations only: no other entry becomes part of it. It is made in the transaction of the migration, which holds up
-- sign-ins meanwhile: about a second for a million entries, since each is looked at.
create index /*p*/audit_log_organization_idx
on /*p*/audit_log ((payload #>> '{traits,organization_id}'), created_at desc, id desc)
where payload #>> '{traits,organization_id}' is not null;
