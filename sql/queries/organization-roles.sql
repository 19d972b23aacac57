-- name: all
-- The roles of the installation, and what built-in ones may do more than they are built to.
-- read
select r.name, r.description, r.permissions, r.created_at, r.updated_at from /*p*/organization_roles r order by r.name;
